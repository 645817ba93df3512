import type { Tensor } from '@stoker/formats'
import { floatsOf, pictureOf } from '../pixels.js'
import type { SamplingKernel } from './sampling.js'
import { type Spans, spansOf } from './spans.js'

/**
 * Resize with a sampling kernel, as `tf.raw_ops.ScaleAndTranslate`: rows first, then columns, float32 all along. What
 * `tf.image.resize` runs for lanczos3, lanczos5, gaussian and mitchellcubic, and with antialias for bilinear and bicubic.
 * Source: tensorflow/core/kernels/image/scale_and_translate_op.cc.
 */
export function resizeSampled(
  image: Tensor,
  [height, width]: readonly [number, number],
  kernel: SamplingKernel,
  antialias: boolean,
): Tensor {
  const picture = pictureOf(image, 'resize')
  const { channels } = picture
  const rows = spansOf(kernel, picture.height, height, antialias)
  const columns = spansOf(kernel, picture.width, width, antialias)
  const tall = gatherRows(floatsOf(picture), picture.height, picture.width * channels, rows)
  const data = gatherColumns(tall, picture.width, channels, columns)
  return { dtype: 'float32', shape: [height, width, channels], data }
}

type Values = Uint8Array | Float32Array

function gatherRows(source: Values, inHeight: number, row: number, { size, starts, weights }: Spans): Float32Array {
  const out = new Float32Array(starts.length * row)
  starts.forEach((start, y) => {
    const line = out.subarray(y * row, (y + 1) * row)
    const count = Math.min(start + size, inHeight) - start
    for (let i = 0; i < count; i++) {
      const weight = weights[y * size + i] as number
      if (weight === 0) continue
      const from = (start + i) * row
      for (let at = 0; at < row; at++)
        line[at] = (line[at] as number) + Math.fround((source[from + at] as number) * weight)
    }
  })
  return out
}

function gatherColumns(source: Float32Array, inWidth: number, channels: number, spans: Spans): Float32Array {
  const { size, starts, weights } = spans
  const height = source.length / (inWidth * channels)
  const out = new Float32Array(height * starts.length * channels)
  let to = 0
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < starts.length; x++) {
      const start = starts[x] as number
      const count = Math.min(start + size, inWidth) - start
      const from = (y * inWidth + start) * channels
      for (let c = 0; c < channels; c++) {
        let sum = 0
        for (let i = 0; i < count; i++) {
          const value = source[from + i * channels + c] as number
          sum = Math.fround(sum + Math.fround(value * (weights[x * size + i] as number)))
        }
        out[to++] = sum
      }
    }
  }
  return out
}
