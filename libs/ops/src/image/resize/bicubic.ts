import type { Tensor } from '@stoker/formats'
import { floatsOf, pictureOf } from '../pixels.js'

const { fround } = Math

/** Four input positions (bounded) and their weights, for each output position. */
interface Taps {
  readonly positions: Int32Array
  readonly weights: Float32Array
}

/**
 * As `tf.image.resize(method='bicubic')` without antialias: Keys' cubic with a = -0.5, weights from a table of 1,024 steps,
 * those outside the image left out. Source: tensorflow/core/kernels/image/resize_bicubic_op.cc.
 */
export function resizeBicubic(image: Tensor, [height, width]: readonly [number, number]): Tensor {
  const picture = pictureOf(image, 'resize')
  const { channels } = picture
  const source = floatsOf(picture)
  const row = picture.width * channels
  const down = tapsOf(picture.height, height, row)
  const across = tapsOf(picture.width, width, channels)
  const line = new Float32Array(row)
  const out = new Float32Array(height * width * channels)
  for (let y = 0, to = 0; y < height; y++) {
    for (let at = 0; at < row; at++) line[at] = weighted(source, at, down, 4 * y)
    for (let x = 0; x < width; x++) {
      for (let c = 0; c < channels; c++) out[to++] = weighted(line, c, across, 4 * x)
    }
  }
  return { dtype: 'float32', shape: [height, width, channels], data: out }
}

function weighted(source: Uint8Array | Float32Array, at: number, { positions, weights }: Taps, tap: number): number {
  let sum = 0
  for (let i = tap; i < tap + 4; i++) {
    const value = source[at + (positions[i] as number)] as number
    sum = fround(sum + fround(value * (weights[i] as number)))
  }
  return sum
}

const STEPS = 1024
let table: Float32Array | undefined

/** Weight at distance i / 1024 (even entries) and 1 + i / 1024 (odd ones), worked out in double precision. */
function keysTable(): Float32Array {
  if (table) return table
  const a = -0.5
  table = new Float32Array((STEPS + 1) * 2)
  for (let i = 0; i <= STEPS; i++) {
    const x = i / STEPS
    table[2 * i] = ((a + 2) * x - (a + 3)) * x * x + 1
    const far = x + 1
    table[2 * i + 1] = ((a * far - 5 * a) * far + 8 * a) * far - 4 * a
  }
  return table
}

function tapsOf(inSize: number, outSize: number, step: number): Taps {
  const keys = keysTable()
  const positions = new Int32Array(4 * outSize)
  const weights = new Float32Array(4 * outSize)
  const scale = fround(inSize / outSize)
  for (let at = 0; at < outSize; at++) {
    const centre = fround(fround(fround(at + 0.5) * scale) - 0.5)
    const floor = Math.floor(centre)
    const offset = roundHalfEven(fround(fround(centre - floor) * STEPS))
    const near = [keys[offset * 2 + 1], keys[offset * 2], keys[(STEPS - offset) * 2], keys[(STEPS - offset) * 2 + 1]]
    let sum = 0
    near.forEach((weight = 0, i) => {
      const position = floor - 1 + i
      const bounded = Math.max(0, Math.min(position, inSize - 1))
      positions[4 * at + i] = bounded * step
      weights[4 * at + i] = bounded === position ? weight : 0
      sum = fround(sum + (weights[4 * at + i] as number))
    })
    if (Math.abs(sum) < 1.2e-35) continue
    const factor = fround(1 / sum)
    for (let i = 0; i < 4; i++) weights[4 * at + i] = fround((weights[4 * at + i] as number) * factor)
  }
  return { positions, weights }
}

/** As C's lrintf. */
function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor
}
