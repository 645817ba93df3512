import { CheckpointUnfit } from '../error-table.js'
import type { Native } from '../load/native.js'
import type { Tensor, Variable } from '../load/tfjs.js'
import type { NativeTensors } from './native-tensors.js'
import { ADAM, adamRate, type Optimizer, type OptimizerSpec, type OptimizerState } from './runtime.js'

let made = 0

/** A variable of TensorFlow's own, which its optimiser kernels change in place. */
class Resource {
  readonly handle: number
  readonly #tensors: NativeTensors

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

  assign(value: number): void {
    const { binding } = this.#tensors
    binding.executeOp('AssignVariableOp', [this.#tensors.type('dtype', binding.TF_FLOAT)], [this.handle, value], 0)
  }

  /** A tensor of the value as it is now; shares its memory until the next change. */
  read(): number {
    return this.#tensors.one(
      'ReadVariableOp',
      [this.#tensors.type('dtype', this.#tensors.binding.TF_FLOAT)],
      [this.handle],
    )
  }

  dispose(): void {
    const { binding } = this.#tensors
    binding.executeOp('DestroyResourceOp', [this.#tensors.bool('ignore_lookup_error', true)], [this.handle], 0)
    binding.deleteTensor(this.handle)
  }
}

interface Trained {
  readonly shape: readonly number[]
  readonly value: Resource
  readonly slots: Readonly<Record<string, Resource>>
  /** tfjs's record of the variable: `id` names the tensor that its layers compute with. */
  readonly record: { id: number }
}

/**
 * Adam and SGD by TensorFlow's fused kernels: one call a variable instead of the dozen that tfjs makes, which cost the
 * digits model 5 to 9 ms of a step where this costs about 1 (two busy cores). The value lives in a TensorFlow variable;
 * after each change the tfjs variable is pointed at it.
 */
export function createNativeOptimizer(
  native: Native,
  tensors: NativeTensors,
  spec: OptimizerSpec,
  variables: readonly Variable[],
): Optimizer {
  const { binding, backend } = native
  const zeros = (shape: readonly number[]) => tensors.float(new Float32Array(sizeOf(shape)), shape)
  const slotNames = spec.type === 'adam' ? ['m', 'v'] : []
  const trained = variables.map((variable): Trained => {
    const { shape, dataId } = variable
    const [id] = backend.getInputTensorIds([variable])
    if (id === undefined) throw new Error(`${variable.name} has no tensor`)
    const slots = slotNames.map((name) => {
      const zero = zeros(shape)
      const slot = new Resource(tensors, shape, zero)
      binding.deleteTensor(zero)
      return [name, slot] as const
    })
    return {
      shape,
      value: new Resource(tensors, shape, id),
      slots: Object.fromEntries(slots),
      record: backend.tensorMap.get(dataId),
    }
  })
  const constant = (value: number) => tensors.float(Float32Array.of(value), [])
  const held = {
    zero: constant(0),
    one: constant(1),
    beta1: constant(ADAM.beta1),
    beta2: constant(ADAM.beta2),
    epsilon: constant(ADAM.epsilon),
  }
  const attributes = [tensors.type('T', binding.TF_FLOAT), tensors.bool('use_locking', false)]
  let iterations = 0
  let isDisposed = false

  /** Without a second holder of the memory, TensorFlow changes the variable in place instead of copying it first. */
  function update({ record, value }: Trained, change: () => void): void {
    binding.deleteTensor(record.id)
    try {
      change()
    } finally {
      record.id = value.read()
    }
  }

  function applyAdam(gradients: readonly number[], rate: number): void {
    for (const [index, one] of trained.entries()) {
      const { value, slots } = one
      const { m, v } = slots
      if (!m || !v) throw new Error('Adam without slots')
      // The bias correction is in the rate, so the powers of beta are given as 0.
      const inputs = [
        value.handle,
        m.handle,
        v.handle,
        held.zero,
        held.zero,
        rate,
        held.beta1,
        held.beta2,
        held.epsilon,
      ]
      const nesterov = [...attributes, tensors.bool('use_nesterov', false)]
      update(
        one,
        () => void binding.executeOp('ResourceApplyAdam', nesterov, [...inputs, gradients[index] as number], 0),
      )
    }
  }

  function applySgd(gradients: readonly number[], rate: number): void {
    for (const [index, one] of trained.entries()) {
      const inputs = [one.value.handle, rate, gradients[index] as number]
      update(one, () => void binding.executeOp('ResourceApplyGradientDescent', attributes, inputs, 0))
    }
  }

  return {
    apply(gradients: readonly Tensor[]) {
      iterations++
      const ids = backend.getInputTensorIds(gradients)
      const rate = constant(spec.type === 'adam' ? adamRate(spec.learningRate, iterations) : spec.learningRate)
      try {
        if (spec.type === 'adam') applyAdam(ids, rate)
        else applySgd(ids, rate)
      } finally {
        binding.deleteTensor(rate)
      }
    },
    state(): OptimizerState {
      const slots = new Map<string, Float32Array>()
      for (const [index, one] of trained.entries()) {
        for (const [name, slot] of Object.entries(one.slots)) {
          const id = slot.read()
          slots.set(`${name}.${index}`, binding.tensorDataSync(id) as Float32Array)
          binding.deleteTensor(id)
        }
      }
      return { iterations, slots }
    },
    restore(state) {
      for (const [index, one] of trained.entries()) {
        // Whatever the layers were given last, by setWeights for instance, is what the optimiser goes on from.
        const [current] = backend.getInputTensorIds([variables[index] as Variable])
        const record = backend.tensorMap.get((variables[index] as Variable).dataId)
        Object.assign(one, { record })
        one.value.assign(current as number)
        for (const [name, slot] of Object.entries(one.slots)) {
          const values = state.slots.get(`${name}.${index}`)
          if (values?.length !== sizeOf(one.shape))
            throw CheckpointUnfit(`no ${name} of variable ${index} with shape [${one.shape}]`)
          const id = tensors.float(values.slice(), one.shape)
          slot.assign(id)
          binding.deleteTensor(id)
        }
      }
      iterations = state.iterations
    },
    dispose() {
      if (isDisposed) return
      isDisposed = true
      for (const { value, slots } of trained) for (const one of [value, ...Object.values(slots)]) one.dispose()
      for (const id of Object.values(held)) binding.deleteTensor(id)
    },
  }
}

const sizeOf = (shape: readonly number[]): number => shape.reduce((product, dim) => product * dim, 1)
