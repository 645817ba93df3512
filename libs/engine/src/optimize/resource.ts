import type { NativeTensors } from '../model/native-tensors.js'

let made = 0

/** A variable of TensorFlow's own, which its optimiser kernels change in place. */
export class Resource {
  readonly handle: number
  readonly #tensors: NativeTensors

  /** @param value id of a tensor */
  constructor(tensors: NativeTensors, shape: readonly number[], value: number) {
    const { binding } = tensors
    this.#tensors = tensors
    const text = (name: string, content: string) => ({ name, type: binding.TF_ATTR_STRING, value: content })
    this.handle = tensors.one(
      'VarHandleOp',
      [
        text('container', ''),
        text('shared_name', `stoker-${made++}`),
        tensors.type('dtype', binding.TF_FLOAT),
        { name: 'shape', type: binding.TF_ATTR_SHAPE, value: [...shape] },
      ],
      [],
    )
    this.assign(value)
  }

  /** @param value id of a tensor */
  assign(value: number): void {
    const { binding } = this.#tensors
    binding.executeOp('AssignVariableOp', [this.#tensors.type('dtype', binding.TF_FLOAT)], [this.handle, value], 0)
  }

  /** Id of a tensor of the value as it is now; shares its memory until the next change. */
  read(): number {
    const { binding } = this.#tensors
    return this.#tensors.one('ReadVariableOp', [this.#tensors.type('dtype', binding.TF_FLOAT)], [this.handle])
  }

  dispose(): void {
    const { binding } = this.#tensors
    binding.executeOp('DestroyResourceOp', [this.#tensors.bool('ignore_lookup_error', true)], [this.handle], 0)
    binding.deleteTensor(this.handle)
  }
}
