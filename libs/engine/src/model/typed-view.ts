import type { DType } from '@stoker/spec'
import type { BatchTensor } from '../types.js'

interface View {
  readonly BYTES_PER_ELEMENT: number
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): NumberArray | BigInt64Array
}

const VIEWS: Readonly<Record<DType, View>> = {
  uint8: Uint8Array,
  bool: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  float32: Float32Array,
  float64: Float64Array,
}

export type NumberArray = Uint8Array | Int8Array | Uint16Array | Int16Array | Int32Array | Float32Array | Float64Array

/** The values of a tensor, in place where its bytes are aligned. */
export function typedView(tensor: BatchTensor): NumberArray | BigInt64Array {
  const View = VIEWS[tensor.dtype]
  const data = aligned(tensor.data, View.BYTES_PER_ELEMENT)
  return new View(data.buffer, data.byteOffset, data.byteLength / View.BYTES_PER_ELEMENT)
}

/** Bytes at an offset that is a multiple of `width`; a copy where they are not. */
const aligned = (data: Uint8Array, width: number): Uint8Array => (data.byteOffset % width === 0 ? data : data.slice())

/** int64 values that are known to be small, such as labels, as numbers. */
export function toNumbers(values: NumberArray | BigInt64Array): NumberArray {
  return values instanceof BigInt64Array ? Float64Array.from(values, Number) : values
}
