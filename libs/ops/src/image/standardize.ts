import type { Tensor } from '@stoker/formats'
import { castTensor } from '../cast.js'
import { NormalizeChannels } from '../error-table.js'
import { pictureOf } from './pixels.js'

const { fround } = Math

/**
 * As `tf.image.per_image_standardization`: float32 `(value - mean) / max(stddev, 1 / sqrt(elements))` over all elements.
 * Sums are kept in double precision; TensorFlow's, in float32, come within some units in the last place.
 */
export function perImageStandardization(image: Tensor): Tensor {
  pictureOf(image, 'perImageStandardization')
  const { data, shape } = castTensor(image, 'float32')
  const values = data as Float32Array
  const total = values.length
  let sum = 0
  for (let at = 0; at < total; at++) sum += values[at] as number
  const mean = fround(sum / total)
  let squares = 0
  for (let at = 0; at < total; at++) squares += ((values[at] as number) - mean) ** 2
  const divisor = fround(Math.max(Math.sqrt(squares / total), 1 / Math.sqrt(total)))
  const out = new Float32Array(total)
  for (let at = 0; at < total; at++) out[at] = fround((values[at] as number) - mean) / divisor
  return { dtype: 'float32', shape, data: out }
}

/** One number for all channels, or one for each. */
export type PerChannel = number | readonly number[]

/**
 * float32 `(value - mean) / std` with a mean and a deviation for each channel, in the scale of the values as they are: 0 to
 * 255 for pixels that were not scaled before.
 *
 * @throws StokerError STK_OPS_NORMALIZE_CHANNELS where their number is not that of the image
 */
export function normalize(image: Tensor, { mean, std }: { mean: PerChannel; std: PerChannel }): Tensor {
  const { channels } = pictureOf(image, 'normalize')
  const means = spread(mean, channels, 'mean')
  const deviations = spread(std, channels, 'std')
  const { data, shape } = castTensor(image, 'float32')
  const values = data as Float32Array
  const out = new Float32Array(values.length)
  for (let at = 0; at < values.length; at += channels) {
    for (let c = 0; c < channels; c++) {
      out[at + c] = fround(fround((values[at + c] as number) - (means[c] as number)) / (deviations[c] as number))
    }
  }
  return { dtype: 'float32', shape, data: out }
}

function spread(numbers: PerChannel, channels: number, name: string): Float32Array {
  if (typeof numbers === 'number') return new Float32Array(channels).fill(numbers)
  if (numbers.length !== channels) throw NormalizeChannels(name, numbers.length, channels)
  return Float32Array.from(numbers)
}
