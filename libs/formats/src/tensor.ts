import type { DType, LiteralElement } from '@stoker/spec'
import type { Bytes, StringTensor, Tensor, TypedArray } from './types.js'

export type Field = Tensor | Bytes | StringTensor

/** The typed array of each element type. */
export const ARRAYS = {
  uint8: Uint8Array,
  int8: Int8Array,
  bool: Uint8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  float32: Float32Array,
  float64: Float64Array,
} as const satisfies Record<DType, new (length: number) => TypedArray>

/** A field of elements that fit its type, row-major. */
export function fieldOf(dtype: DType | 'string', shape: readonly number[], elements: readonly LiteralElement[]): Field {
  if (dtype === 'string') {
    const strings = elements as readonly Uint8Array[]
    const [only] = strings
    return shape.length === 0 && only ? { dtype, shape: [], data: only } : { dtype, shape, data: strings }
  }
  if (dtype === 'int64') return { dtype, shape, data: BigInt64Array.from(elements as readonly bigint[]) }
  const data = new ARRAYS[dtype](elements.length)
  // Literals of a spec are whole numbers as bigint, whatever their type.
  for (const [at, element] of elements.entries()) data[at] = Number(element)
  return { dtype, shape, data }
}
