import type { NamedTensor, NewBatchMetadata } from '../../src/safetensors.js'

const tensor = (name: string, dtype: NamedTensor['dtype'], shape: number[], values: ArrayBufferView): NamedTensor => ({
  name,
  dtype,
  shape,
  data: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
})

/** The same tensors as in make-golden.py. */
export const TENSORS: readonly NamedTensor[] = [
  tensor('image', 'uint8', [2, 3, 5, 3], Uint8Array.from({ length: 90 }, (_, i) => i % 251)),
  tensor('label', 'int64', [2], BigInt64Array.of(7n, -3n)),
  tensor('weight', 'float32', [2], Float32Array.of(0.5, -1.25)),
  tensor('x64', 'float64', [2, 1], Float64Array.of(1e300, -2.5)),
  tensor('i32', 'int32', [2], Int32Array.of(2 ** 31 - 1, -(2 ** 31))),
  tensor('i16', 'int16', [2], Int16Array.of(-300, 300)),
  tensor('u16', 'uint16', [2], Uint16Array.of(65535, 1)),
  tensor('i8', 'int8', [2], Int8Array.of(-128, 127)),
  tensor('flag', 'bool', [2], Uint8Array.of(1, 0)),
  tensor('empty', 'float32', [2, 0], new Float32Array(0)),
]

export const METADATA: NewBatchMetadata = {
  job: 'golden',
  epoch: 1,
  batch: 2 ** 32,
  records: 2,
  planHash: 'abc',
  deferred: '{"image":[{"op":"cast","dtype":"float32"}]}',
}
