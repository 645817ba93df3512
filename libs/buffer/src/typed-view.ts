import type { DType } from '@stoker/spec'
import type { NamedTensor } from './safetensors.js'

const VIEWS = {
  uint8: Uint8Array,
  int8: Int8Array,
  bool: Uint8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  float32: Float32Array,
  float64: Float64Array,
} as const satisfies Record<DType, unknown>

export type TypedArrayOf<D extends DType> = InstanceType<(typeof VIEWS)[D]>

interface ViewConstructor {
  readonly BYTES_PER_ELEMENT: number
  new (memory: ArrayBufferLike, offset: number, length: number): TypedArrayOf<DType>
}

/** The elements of a tensor: a view where its bytes lie aligned in memory, else a copy. Little-endian machines only. */
export function typedView<D extends DType>(tensor: NamedTensor & { readonly dtype: D }): TypedArrayOf<D>
export function typedView(tensor: NamedTensor): TypedArrayOf<DType> {
  const View: ViewConstructor = VIEWS[tensor.dtype]
  const isAligned = tensor.data.byteOffset % View.BYTES_PER_ELEMENT === 0
  const { buffer, byteOffset, byteLength } = isAligned ? tensor.data : new Uint8Array(tensor.data)
  return new View(buffer, byteOffset, byteLength / View.BYTES_PER_ELEMENT)
}
