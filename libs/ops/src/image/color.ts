import type { Tensor } from '@stoker/formats'
import { type ImageDType, isFloat } from '@stoker/spec'
import { wrongField } from '../fields.js'
import { convertImageDtype } from './convert-dtype.js'
import { pictureOf, rearranged } from './pixels.js'

const { fround, max, min } = Math

const RED = fround(0.2989)
const GREEN = fround(0.587)
const BLUE = fround(0.114)

/** As `tf.image.rgb_to_grayscale`: 0.2989 red + 0.587 green + 0.114 blue, whole numbers by way of 0 to 1. */
export function rgbToGrayscale(image: Tensor): Tensor {
  const { height, width } = pictureOf(image, 'rgbToGrayscale', 3)
  const floats = convertImageDtype(image, 'float32').data as Float32Array
  const grey = new Float32Array(height * width)
  for (let at = 0, to = 0; to < grey.length; at += 3, to++) {
    const red = fround((floats[at] as number) * RED)
    const both = fround(red + fround((floats[at + 1] as number) * GREEN))
    grey[to] = fround(both + fround((floats[at + 2] as number) * BLUE))
  }
  return convertImageDtype({ dtype: 'float32', shape: [height, width, 1], data: grey }, image.dtype as ImageDType)
}

/** As `tf.image.grayscale_to_rgb`: the one channel three times. */
export function grayscaleToRgb(image: Tensor): Tensor {
  const picture = pictureOf(image, 'grayscaleToRgb', 1)
  const { height, width } = picture
  const tripled = rearranged(picture, height, width * 3, (y, x) => y * width + Math.trunc(x / 3))
  return { ...tripled, shape: [height, width, 3] }
}

/** As `tf.image.rgb_to_hsv`: float32 or float64 of 0 to 1, hue a share of a full turn. */
export function rgbToHsv(image: Tensor): Tensor {
  return eachPixel(image, 'rgbToHsv', (red, green, blue, out, at, round) => {
    const value = max(red, green, blue)
    const range = round(value - min(red, green, blue))
    const norm = round(round(1 / range) * round(1 / 6))
    let hue = 0
    if (range > 0) {
      if (red === value) hue = round(norm * round(green - blue))
      else if (green === value) hue = round(round(norm * round(blue - red)) + round(2 / 6))
      else hue = round(round(norm * round(red - green)) + round(4 / 6))
    }
    out[at] = hue < 0 ? round(hue + 1) : hue
    out[at + 1] = value > 0 ? round(range / value) : 0
    out[at + 2] = value
  })
}

/** As `tf.image.hsv_to_rgb`. */
export function hsvToRgb(image: Tensor): Tensor {
  return eachPixel(image, 'hsvToRgb', (hue, saturation, value, out, at, round) => {
    const sixths = round(hue * 6)
    const clipped = (part: number) => min(max(part, 0), 1)
    const parts = [
      clipped(round(Math.abs(round(sixths - 3)) - 1)),
      clipped(round(2 - Math.abs(round(sixths - 2)))),
      clipped(round(2 - Math.abs(round(sixths - 4)))),
    ]
    const rest = round(1 - saturation)
    parts.forEach((part, c) => {
      out[at + c] = round(round(rest + round(saturation * part)) * value)
    })
  })
}

type Floats = Float32Array | Float64Array
type PixelStep = (a: number, b: number, c: number, out: Floats, at: number, round: (value: number) => number) => void

/** Runs a step on each pixel of a float image with three channels, rounded to the image's own precision. */
function eachPixel(image: Tensor, op: string, step: PixelStep): Tensor {
  pictureOf(image, op, 3)
  const { data } = image
  if (!isFloat(image.dtype)) throw wrongField(op, '', 'float32 or float64 of 0 to 1 (convertImageDtype)', image)
  const values = data as Floats
  const out = data instanceof Float32Array ? new Float32Array(values.length) : new Float64Array(values.length)
  const round = data instanceof Float32Array ? fround : (value: number) => value
  for (let at = 0; at < values.length; at += 3) {
    step(values[at] as number, values[at + 1] as number, values[at + 2] as number, out, at, round)
  }
  return { ...image, data: out }
}
