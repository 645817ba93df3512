import type { Tensor } from '@stoker/formats'
import { throughFloat } from './float-form.js'
import { pictureOf } from './pixels.js'

const { fround, max, min } = Math

/**
 * As `tf.image.adjust_saturation`: multiplies the saturation of an RGB image, which stays within 0 and 1.
 * Source: tensorflow/core/kernels/image/adjust_saturation_op.cc.
 */
export function adjustSaturation(image: Tensor, saturationFactor: number): Tensor {
  pictureOf(image, 'adjustSaturation', 3)
  const factor = fround(saturationFactor)
  return throughFloat(image, (values) => {
    const out = new Float32Array(values.length)
    for (let at = 0; at < values.length; at += 3) {
      const red = values[at] as number
      const green = values[at + 1] as number
      const blue = values[at + 2] as number
      const value = max(red, green, blue)
      const range = fround(value - min(red, green, blue))
      const saturation = value > 0 ? fround(range / value) : 0
      const scaled = min(1, max(0, fround(saturation * factor)))
      writeRgb(hueOf(red, green, blue, value, range), scaled, value, out, at)
    }
    return out
  })
}

/** Hue from 0 to 1; the thirds are added in double precision, as in TensorFlow. */
function hueOf(red: number, green: number, blue: number, value: number, range: number): number {
  if (!(range > 0)) return 0
  const norm = fround(1 / fround(6 * range))
  const hue =
    red === value
      ? fround(norm * fround(green - blue))
      : green === value
        ? fround(fround(norm * fround(blue - red)) + 2 / 6)
        : fround(fround(norm * fround(red - green)) + 4 / 6)
  return hue < 0 ? fround(hue + 1) : hue
}

function writeRgb(hue: number, saturation: number, value: number, out: Float32Array, at: number): void {
  const chroma = fround(saturation * value)
  const base = fround(value - chroma)
  const sixths = fround(hue * 6)
  let within = sixths
  while (within <= 0) within = fround(within + 2)
  while (within >= 2) within = fround(within - 2)
  const other = fround(chroma * fround(1 - Math.abs(fround(within - 1))))
  const sixth = Math.trunc(sixths)
  const red = sixth === 0 || sixth === 5 ? chroma : sixth === 1 || sixth === 4 ? other : 0
  const green = sixth === 1 || sixth === 2 ? chroma : sixth === 0 || sixth === 3 ? other : 0
  const blue = sixth === 3 || sixth === 4 ? chroma : sixth === 2 || sixth === 5 ? other : 0
  out[at] = fround(red + base)
  out[at + 1] = fround(green + base)
  out[at + 2] = fround(blue + base)
}
