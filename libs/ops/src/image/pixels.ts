import type { Tensor, TypedArray } from '@stoker/formats'
import type { DType } from '@stoker/spec'
import { ARRAYS } from '../cast.js'
import { wrongField } from '../fields.js'

/** An image tensor with its sides at hand: [height, width, channels], row-major. */
export interface Picture {
  readonly dtype: DType
  readonly data: TypedArray
  readonly height: number
  readonly width: number
  readonly channels: number
}

/**
 * The tensor as an image, which must have three dimensions, and `channels` of them in the last where that is given.
 *
 * @throws StokerError STK_OPS_FIELD
 */
export function pictureOf({ dtype, data, shape }: Tensor, op: string, wanted?: number): Picture {
  const [height = 0, width = 0, channels = 0] = shape
  if (shape.length !== 3 || height * width * channels === 0 || (wanted !== undefined && channels !== wanted)) {
    const last = wanted ?? 'channels'
    throw wrongField(op, '', `an image [height,width,${last}]`, { dtype, data, shape })
  }
  return { dtype, data, height, width, channels }
}

/** An array of zeros of the element type. */
export const zeros = (dtype: DType, length: number): TypedArray => new ARRAYS[dtype](length)

/** Copies elements between arrays of one type, whichever it is. */
export function copyInto(to: TypedArray, at: number, from: TypedArray, start: number, end: number): void {
  ;(to as Uint8Array).set(from.subarray(start, end) as Uint8Array, at)
}

/** A new image whose pixel (y, x) is pixel `from(y, x)` of the old one, counted row by row. */
export function rearranged(
  { dtype, data, channels }: Picture,
  height: number,
  width: number,
  from: (y: number, x: number) => number,
): Tensor {
  // The element type is the same on both sides, so one view of them serves all types.
  const source = data as Uint8Array
  const out = zeros(dtype, height * width * channels) as Uint8Array
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const at = from(y, x) * channels
      for (let c = 0; c < channels; c++) out[to++] = source[at + c] as number
    }
  }
  return { dtype, shape: [height, width, channels], data: out as TypedArray }
}

/** The values as something whose elements read as float32: pixels stay as they are. */
export function floatsOf({ data }: Picture): Uint8Array | Float32Array {
  if (data instanceof Uint8Array || data instanceof Float32Array) return data
  return data instanceof BigInt64Array ? Float32Array.from(data, Number) : Float32Array.from(data)
}
