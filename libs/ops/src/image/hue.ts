import type { Tensor } from '@stoker/formats'
import { throughFloat } from './float-form.js'
import { pictureOf } from './pixels.js'

const { fround } = Math

/**
 * As `tf.image.adjust_hue`: turns the hue of an RGB image by `delta` of a full turn, from -1 to 1.
 * Source: tensorflow/core/kernels/image/adjust_hue_op.cc.
 */
export function adjustHue(image: Tensor, delta: number): Tensor {
  pictureOf(image, 'adjustHue', 3)
  const turn = fround(fround(delta) * 6)
  return throughFloat(image, (values) => {
    const out = new Float32Array(values.length)
    for (let at = 0; at < values.length; at += 3) turnPixel(values, at, turn, out)
    return out
  })
}

/** Which channel is the most, the middle and the least in each sixth of the hue circle. */
const ORDERS = [
  [0, 1, 2],
  [1, 0, 2],
  [1, 2, 0],
  [2, 1, 0],
  [2, 0, 1],
  [0, 2, 1],
] as const

function turnPixel(values: Float32Array, at: number, turn: number, out: Float32Array): void {
  const from = sixthOf(values[at] as number, values[at + 1] as number, values[at + 2] as number)
  const [most, middle, least] = ORDERS[from] as (typeof ORDERS)[number]
  const high = values[at + most] as number
  const low = values[at + least] as number
  const range = fround(high - low)
  let hue = 0
  if (range !== 0) {
    const share = fround(fround((values[at + middle] as number) - low) / range)
    hue = fround(from + (from & 1 ? fround(1 - share) : share))
  }
  hue = fround(hue + turn)
  while (hue < 0) hue = fround(hue + 6)
  while (hue >= 6) hue = fround(hue - 6)
  // NaN and what rounds up to 6 go to the last sixth.
  const to = hue >= 0 ? Math.min(Math.trunc(hue), 5) : 5
  const part = fround(hue - to)
  const [top, between, bottom] = ORDERS[to] as (typeof ORDERS)[number]
  out[at + top] = high
  out[at + bottom] = low
  out[at + between] = fround(low + fround((to & 1 ? fround(1 - part) : part) * range))
}

function sixthOf(red: number, green: number, blue: number): number {
  if (red < green) return blue < red ? 1 : blue > green ? 3 : 2
  return blue < green ? 0 : blue > red ? 4 : 5
}
