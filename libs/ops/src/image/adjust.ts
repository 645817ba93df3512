import type { Tensor } from '@stoker/formats'
import { eachValue, throughFloat } from './float-form.js'
import { pictureOf } from './pixels.js'

const { fround } = Math

/** As `tf.image.adjust_brightness`: adds `delta`, in the scale 0 to 1 for whole numbers, which are clipped to their type. */
export function adjustBrightness(image: Tensor, delta: number): Tensor {
  pictureOf(image, 'adjustBrightness')
  const by = fround(delta)
  return eachValue(image, (value) => fround(value + by))
}

/** As `tf.image.adjust_gamma`: `gain * value ** gamma`, in the scale 0 to 1 for whole numbers. `gamma` is 0 or more. */
export function adjustGamma(image: Tensor, gamma = 1, gain = 1): Tensor {
  pictureOf(image, 'adjustGamma')
  const power = fround(gamma)
  const factor = fround(gain)
  return eachValue(image, (value) => fround(factor * fround(value ** power)))
}

/** As `tf.image.adjust_contrast`: `(value - mean) * contrastFactor + mean`, with the mean of each channel. */
export function adjustContrast(image: Tensor, contrastFactor: number): Tensor {
  const { channels } = pictureOf(image, 'adjustContrast')
  const factor = fround(contrastFactor)
  return throughFloat(image, (values) => {
    const means = channelMeans(values, channels)
    const out = new Float32Array(values.length)
    for (let at = 0; at < values.length; at += channels) {
      for (let c = 0; c < channels; c++) {
        const mean = means[c] as number
        out[at + c] = fround(mean + fround(fround((values[at + c] as number) - mean) * factor))
      }
    }
    return out
  })
}

/**
 * Mean of each channel, added up in TensorFlow's order: the image is folded in half until one pixel is left.
 * Source: ReduceMeanAcrossImage in tensorflow/core/kernels/image/adjust_contrast_op.cc.
 */
function channelMeans(values: Float32Array, channels: number): Float32Array {
  const sums = values.slice()
  const pixels = values.length / channels
  for (let left = pixels; left > 1; ) {
    const right = left >> 1
    left -= right
    const shift = left * channels
    for (let at = 0; at < right * channels; at++) sums[at] = (sums[at] as number) + (sums[at + shift] as number)
  }
  return sums.subarray(0, channels).map((sum) => fround(sum * fround(1 / pixels)))
}
