import type { Tensor, TypedArray } from '@stoker/formats'
import { shuffled } from '@stoker/plan'
import { sizeOf } from '../elements.js'
import { wrongField } from '../fields.js'
import type { BatchFields, BatchKernelOf } from '../kernel.js'
import { drawsOf } from '../random/draws.js'

/** Which record each record of the batch is mixed with. */
type Partners = readonly number[]

function tensorNamed(batch: BatchFields, op: string, field: string): Tensor {
  const tensor = batch[field]
  if (tensor) return tensor
  throw wrongField(op, field, 'numbers', tensor)
}

/** `share` of each record plus the rest of its partner; uint8 is rounded to the nearest, half upwards. */
function blended({ dtype, shape, data }: Tensor, partners: Partners, share: number): Tensor {
  const size = sizeOf(shape.slice(1))
  const from = data as Float32Array
  const out = data.slice() as Float32Array
  const half = dtype === 'uint8' ? 0.5 : 0
  for (const [record, partner] of partners.entries()) {
    const own = record * size
    const other = partner * size
    for (let at = 0; at < size; at++) {
      const value = share * (from[own + at] as number) + (1 - share) * (from[other + at] as number)
      out[own + at] = value + half
    }
  }
  return { dtype, shape, data: out as TypedArray }
}

export const mixup: BatchKernelOf<'mixup'> =
  ({ field, label, alpha = 0.2, seed }) =>
  (batch, { key }) => {
    const values = tensorNamed(batch, 'mixup', field)
    const labels = tensorNamed(batch, 'mixup', label)
    const draws = drawsOf(key, seed)
    const share = draws.beta(alpha)
    const partners = shuffled(values.shape[0] ?? 0, Math.floor(draws.uniform() * 2 ** 32))
    return { ...batch, [field]: blended(values, partners, share), [label]: blended(labels, partners, share) }
  }

/** Centre drawn over the whole image, what is outside is cut off, as in the code of the CutMix paper. */
export const cutmix: BatchKernelOf<'cutmix'> =
  ({ field, label, alpha = 1, seed }) =>
  (batch, { key }) => {
    const images = tensorNamed(batch, 'cutmix', field)
    const [records = 0, height = 0, width = 0, channels = 0] = images.shape
    if (images.shape.length !== 4) throw wrongField('cutmix', field, 'images [records,height,width,channels]', images)
    const draws = drawsOf(key, seed)
    const side = Math.sqrt(1 - draws.beta(alpha))
    const [top, bottom] = span(draws.below(height), Math.trunc(height * side), height)
    const [left, right] = span(draws.below(width), Math.trunc(width * side), width)
    const partners = shuffled(records, Math.floor(draws.uniform() * 2 ** 32))
    const from = images.data as Uint8Array
    const out = images.data.slice() as Uint8Array
    for (const [record, partner] of partners.entries()) {
      for (let row = top; row < bottom; row++) {
        const start = (row * width + left) * channels
        const size = height * width * channels
        const end = start + (right - left) * channels
        out.set(from.subarray(partner * size + start, partner * size + end), record * size + start)
      }
    }
    const share = 1 - ((bottom - top) * (right - left)) / (height * width)
    const labels = tensorNamed(batch, 'cutmix', label)
    return {
      ...batch,
      [field]: { ...images, data: out as TypedArray },
      [label]: blended(labels, partners, share),
    }
  }

function span(centre: number, length: number, whole: number): [start: number, end: number] {
  const half = Math.floor(length / 2)
  return [Math.max(0, centre - half), Math.min(whole, centre + half)]
}
