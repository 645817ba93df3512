import type { Tensor, TypedArray } from '@stoker/formats'
import { type DType, type ImageDType, isFloat } from '@stoker/spec'
import { castTensor } from '../cast.js'
import { wrongField } from '../fields.js'
import { zeros } from './pixels.js'

const MOST: Partial<Record<DType, number>> = {
  uint8: 255,
  int8: 127,
  uint16: 65_535,
  int16: 32_767,
  int32: 2_147_483_647,
}

/**
 * As `tf.image.convert_image_dtype`: whole numbers span 0 to the most of their type, floats 0 to 1. To float: times 1/most;
 * from float: times (most + 0.5), cut off. Between whole numbers the ratio of the ranges (a power of two) is multiplied or
 * divided out. `saturate` clips what lies outside; without it 8 and 16 bit types saturate too (see `castTensor`), where
 * TensorFlow leaves the result open.
 */
export function convertImageDtype(image: Tensor, dtype: ImageDType, saturate = false): Tensor {
  if (image.dtype === dtype) return image
  if (isFloat(image.dtype)) return isFloat(dtype) ? castTensor(image, dtype) : fromFloat(image, dtype, saturate)
  const mostIn = mostOf(image)
  if (!isFloat(dtype)) return betweenWhole(image, dtype, mostIn, MOST[dtype] ?? 0, saturate)
  const floats = castTensor(image, dtype)
  const data = floats.data as Float32Array
  const factor = dtype === 'float32' ? Math.fround(1 / mostIn) : 1 / mostIn
  for (let at = 0; at < data.length; at++) data[at] = (data[at] as number) * factor
  return floats
}

function mostOf(image: Tensor): number {
  const most = MOST[image.dtype]
  if (most === undefined) throw wrongField('convertImageDtype', '', 'uint8, int8, uint16, int16, int32 or float', image)
  return most
}

function fromFloat(image: Tensor, dtype: ImageDType, saturate: boolean): Tensor {
  const most = MOST[dtype] ?? 0
  const single = image.data instanceof Float32Array
  const factor = single ? Math.fround(most + 0.5) : most + 0.5
  const scaled = (image.data as Float32Array).map((value) => value * factor)
  return saturate ? saturated({ ...image, data: scaled }, dtype) : castTensor({ ...image, data: scaled }, dtype)
}

function betweenWhole(image: Tensor, dtype: ImageDType, mostIn: number, mostOut: number, saturate: boolean): Tensor {
  const values = image.data as Int32Array
  const scaled = new Float64Array(values.length)
  if (mostIn > mostOut) {
    const by = Math.floor((mostIn + 1) / (mostOut + 1))
    for (let at = 0; at < values.length; at++) scaled[at] = Math.floor((values[at] as number) / by)
    return wrapped(image, scaled, dtype, saturate)
  }
  const start = wrapped(image, values, dtype, saturate)
  const by = Math.floor((mostOut + 1) / (mostIn + 1))
  const out = start.data as Int32Array
  for (let at = 0; at < out.length; at++) out[at] = (out[at] as number) * by
  return start
}

/** Whole numbers to another type: those outside are clipped, or wrap. */
function wrapped(image: Tensor, values: Float64Array | Int32Array, dtype: ImageDType, saturate: boolean): Tensor {
  const data = zeros(dtype, values.length) as Int32Array
  const least = dtype.startsWith('u') ? 0 : -(MOST[dtype] ?? 0) - 1
  const most = MOST[dtype] ?? 0
  for (let at = 0; at < data.length; at++) {
    const value = values[at] as number
    data[at] = saturate ? Math.min(Math.max(value, least), most) : value
  }
  return { dtype, shape: image.shape, data: data as TypedArray }
}

/** As `tf.saturate_cast` of floats: cut off toward zero, clipped to the type; NaN becomes 0 (least value for int32). */
function saturated(image: Tensor, dtype: ImageDType): Tensor {
  if (dtype !== 'int32') return castTensor(image, dtype)
  const data = (image.data as Float32Array).map((value) => Math.min(Math.max(value, -2_147_483_648), 2_147_483_520))
  return castTensor({ ...image, data }, dtype)
}
