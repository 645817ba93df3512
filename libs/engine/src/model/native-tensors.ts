import type { DeferredOp } from '@stoker/plan'
import type { Binding } from '../load/native.js'
import type { BatchTensor } from '../types.js'
import { foldDeferred } from './deferred.js'
import { typedView } from './typed-view.js'

/** Uploads batch tensors and runs TensorFlow ops on ids, past tfjs and its bookkeeping. */
export class NativeTensors {
  readonly binding: Binding
  readonly #castTo: Readonly<Record<string, (id: number, from: number) => number>>

  constructor(binding: Binding) {
    this.binding = binding
    const cast = (to: number) => (id: number, from: number) => {
      if (from === to) return id
      const attributes = [this.type('SrcT', from), this.type('DstT', to), this.bool('Truncate', false)]
      return this.#replace(id, 'Cast', attributes)
    }
    this.#castTo = { float32: cast(binding.TF_FLOAT), int32: cast(binding.TF_INT32), int64: cast(binding.TF_INT64) }
  }

  type = (name: string, value: number) => ({ name, type: this.binding.TF_ATTR_TYPE, value })
  bool = (name: string, value: boolean) => ({ name, type: this.binding.TF_ATTR_BOOL, value })

  /** The only output of an op. */
  one(op: string, attributes: Parameters<Binding['executeOp']>[1], inputs: readonly number[]): number {
    const [made] = this.binding.executeOp(op, attributes, inputs, 1)
    if (!made) throw new Error(`${op} gave no output`)
    return made.id
  }

  float(values: Float32Array, shape: readonly number[]): number {
    return this.binding.createTensor(shape, this.binding.TF_FLOAT, values)
  }

  /**
   * The id of a tensor made of a batch tensor's bytes, which travel as they are: pixels as uint8, cast and scaled by
   * TensorFlow. `dtype` as given, uint8 included; `deferred` is applied when it is float32.
   */
  upload(tensor: BatchTensor, deferred: readonly DeferredOp[], dtype: 'float32' | 'int32' | 'int64' | 'uint8'): number {
    const { id, type } = this.#raw(tensor)
    if (dtype === 'uint8') return id
    const cast = this.#castTo[dtype]
    const done = cast ? cast(id, type) : id
    const affine = dtype === 'float32' ? foldDeferred(deferred) : undefined
    if (!affine) return done
    const scaled = affine.factor === 1 ? done : this.#withScalar(done, 'Mul', affine.factor)
    return affine.offset === 0 ? scaled : this.#withScalar(scaled, 'AddV2', affine.offset)
  }

  /** The addon takes uint8, int32, float32 and int64 (as pairs of int32); the rest is widened here. */
  #raw(tensor: BatchTensor): { id: number; type: number } {
    const { binding } = this
    const make = (type: number, values: Float32Array | Int32Array | Uint8Array) => ({
      id: binding.createTensor(tensor.shape, type, values),
      type,
    })
    const values = typedView(tensor)
    if (values instanceof Uint8Array) return make(binding.TF_UINT8, values)
    if (values instanceof Int32Array) return make(binding.TF_INT32, values)
    if (values instanceof Float32Array) return make(binding.TF_FLOAT, values)
    if (values instanceof BigInt64Array) {
      return make(binding.TF_INT64, new Int32Array(values.buffer, values.byteOffset, values.length * 2))
    }
    return values instanceof Float64Array
      ? make(binding.TF_FLOAT, Float32Array.from(values))
      : make(binding.TF_INT32, Int32Array.from(values))
  }

  readonly #scalars = new Map<number, number>()

  /** The scalars of deferred ops are few and the same in every step: they are kept. */
  #withScalar(id: number, op: 'Mul' | 'AddV2', value: number): number {
    const scalar = this.#scalars.get(value) ?? this.float(Float32Array.of(value), [])
    this.#scalars.set(value, scalar)
    return this.#replace(id, op, [this.type('T', this.binding.TF_FLOAT)], [scalar])
  }

  #replace(id: number, op: string, attributes: Parameters<Binding['executeOp']>[1], more: readonly number[] = []) {
    try {
      return this.one(op, attributes, [id, ...more])
    } finally {
      this.binding.deleteTensor(id)
    }
  }

  dispose(): void {
    for (const id of this.#scalars.values()) this.binding.deleteTensor(id)
    this.#scalars.clear()
  }
}
