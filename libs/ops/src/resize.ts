import type { Tensor } from '@stoker/formats'
import { wrongField } from './fields.js'

type Output = 'float32' | 'uint8'
type Pixels = Uint8Array | Float32Array

/** For each output position: the two input positions around it and how far it lies between them. */
interface Axis {
  readonly lower: Int32Array
  readonly upper: Int32Array
  readonly lerp: Float32Array
}

/**
 * Bilinear resize of an image [height, width, channels], equal in every bit to
 * `tf.image.resize(image, size, antialias=False)`: half-pixel centres, float32 arithmetic, first along rows, then across.
 * Source: tensorflow/core/kernels/image/resize_bilinear_op.cc.
 *
 * With `out` = 'uint8' the same values are rounded to the nearest whole number within 0 to 255, half upwards: the form
 * in which pixels travel. `into` takes the result, for instance a slice of a batch; it must have the right length.
 */
export function resizeBilinear(
  image: Tensor,
  size: readonly [height: number, width: number],
  out: Output = 'float32',
  into?: Pixels,
): Tensor {
  const [inHeight = 0, inWidth = 0, channels = 0] = image.shape
  if (image.shape.length !== 3 || inHeight * inWidth * channels === 0 || image.data instanceof BigInt64Array) {
    throw wrongField('resize', '', 'an image [height,width,channels]', image)
  }
  const [height, width] = size
  const length = height * width * channels
  const data = into ?? (out === 'uint8' ? new Uint8Array(length) : new Float32Array(length))
  if (data.length !== length || (out === 'uint8') !== data instanceof Uint8Array) {
    throw new TypeError(`resize into ${data.constructor.name}[${data.length}], needs ${out}[${length}]`)
  }
  const isPlain = image.data instanceof Uint8Array || image.data instanceof Float32Array
  const source = isPlain ? (image.data as Pixels) : Float32Array.from(image.data)
  const rows = axisOf(inHeight, height, inWidth * channels)
  const columns = axisOf(inWidth, width, channels)
  const rowLength = width * channels
  let top = { data: new Float32Array(rowLength), from: -1 }
  let bottom = { data: new Float32Array(rowLength), from: -1 }
  for (let y = 0; y < height; y++) {
    const upper = rows.lower[y] ?? 0
    const lower = rows.upper[y] ?? 0
    // Going down, the row that was below is often the one above now: its resampled form is kept.
    if (top.from !== upper && bottom.from === upper) [top, bottom] = [bottom, top]
    if (top.from !== upper) resampleRow(source, upper, columns, channels, top)
    if (bottom.from !== lower) resampleRow(source, lower, columns, channels, bottom)
    blend(top.data, bottom.data, rows.lerp[y] ?? 0, data, y * rowLength)
  }
  return { dtype: out, shape: [height, width, channels], data }
}

function resampleRow(
  source: Uint8Array | Float32Array,
  start: number,
  columns: Axis,
  channels: number,
  row: { data: Float32Array; from: number },
): void {
  const { lower, upper, lerp } = columns
  const { data } = row
  row.from = start
  if (channels === 3) {
    resampleRgb(source, start, columns, data)
    return
  }
  let at = 0
  for (let x = 0; x < lerp.length; x++) {
    const left = start + (lower[x] as number)
    const right = start + (upper[x] as number)
    const share = lerp[x] as number
    for (let c = 0; c < channels; c++) {
      const from = source[left + c] as number
      const to = source[right + c] as number
      data[at++] = Math.fround(from + Math.fround(Math.fround(to - from) * share))
    }
  }
}

/** The same with its inner loop written out: nearly all images are RGB, and this is where the time goes. */
function resampleRgb(source: Uint8Array | Float32Array, start: number, columns: Axis, data: Float32Array): void {
  const { lower, upper, lerp } = columns
  for (let x = 0, at = 0; x < lerp.length; x++, at += 3) {
    const left = start + (lower[x] as number)
    const right = start + (upper[x] as number)
    const share = lerp[x] as number
    const red = source[left] as number
    const green = source[left + 1] as number
    const blue = source[left + 2] as number
    data[at] = Math.fround(red + Math.fround(Math.fround((source[right] as number) - red) * share))
    data[at + 1] = Math.fround(green + Math.fround(Math.fround((source[right + 1] as number) - green) * share))
    data[at + 2] = Math.fround(blue + Math.fround(Math.fround((source[right + 2] as number) - blue) * share))
  }
}

function blend(top: Float32Array, bottom: Float32Array, share: number, out: Pixels, start: number): void {
  if (out instanceof Uint8Array) {
    for (let at = 0; at < top.length; at++) {
      const from = top[at] as number
      const value = Math.fround(from + Math.fround(Math.fround((bottom[at] as number) - from) * share))
      out[start + at] = value <= 0 ? 0 : value >= 255 ? 255 : value + 0.5
    }
    return
  }
  for (let at = 0; at < top.length; at++) {
    const from = top[at] as number
    out[start + at] = Math.fround(from + Math.fround(Math.fround((bottom[at] as number) - from) * share))
  }
}

const axes = new Map<string, Axis>()
/** Images of a data set share few sizes; past this many the oldest axis is forgotten. */
const AXES = 256

function axisOf(inSize: number, outSize: number, step: number): Axis {
  const key = `${inSize} ${outSize} ${step}`
  const known = axes.get(key)
  if (known) return known
  const axis = computeAxis(inSize, outSize, step)
  const [oldest] = axes.keys()
  if (axes.size >= AXES && oldest !== undefined) axes.delete(oldest)
  axes.set(key, axis)
  return axis
}

function computeAxis(inSize: number, outSize: number, step: number): Axis {
  const lower = new Int32Array(outSize)
  const upper = new Int32Array(outSize)
  const lerp = new Float32Array(outSize)
  const scale = Math.fround(inSize / outSize)
  for (let at = 0; at < outSize; at++) {
    const centre = Math.fround(Math.fround(Math.fround(at + 0.5) * scale) - 0.5)
    const floor = Math.floor(centre)
    lower[at] = Math.max(floor, 0) * step
    upper[at] = Math.min(Math.ceil(centre), inSize - 1) * step
    lerp[at] = Math.fround(centre - floor)
  }
  return { lower, upper, lerp }
}
