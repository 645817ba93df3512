import { learningRateAt, type OptimizerSpec } from '@stoker/spec'
import { CheckpointUnfit } from '../error-table.js'
import type { Native } from '../load/native.js'
import type { Tensor, Variable } from '../load/tfjs.js'
import type { NativeTensors } from '../model/native-tensors.js'
import { stepKernel } from './native-kernels.js'
import { decayOf, type Optimizer, type OptimizerState, slotNames, stepSize, type Trainable } from './optimizer.js'
import { Resource } from './resource.js'

interface Trained {
  readonly name: string
  readonly variable: Variable
  readonly value: Resource
  /** In the order of `slotNames`. */
  readonly slots: readonly Resource[]
  /** tfjs's record of the variable: `id` names the tensor that its layers compute with. */
  record: { id: number }
}

/**
 * Optimisers by TensorFlow's fused kernels: one call a variable instead of the dozen that tfjs makes, which cost the
 * digits model 5 to 9 ms of a step where this costs about 1 (two busy cores). The value lives in a TensorFlow variable;
 * after each change the tfjs variable is pointed at it.
 */
export function createNativeOptimizer(
  native: Native,
  tensors: NativeTensors,
  spec: OptimizerSpec,
  variables: readonly Trainable[],
): Optimizer {
  const { binding, backend } = native
  const names = slotNames(spec)
  const kernel = stepKernel(tensors, spec)
  const recordOf = ({ dataId }: Variable) => backend.tensorMap.get(dataId)
  const idOf = (variable: Variable): number => {
    const [id] = backend.getInputTensorIds([variable])
    if (id === undefined) throw new Error(`${variable.name} has no tensor`)
    return id
  }
  const zeroSlot = (shape: readonly number[]): Resource => {
    const zero = tensors.float(new Float32Array(sizeOf(shape)), shape)
    const slot = new Resource(tensors, shape, zero)
    binding.deleteTensor(zero)
    return slot
  }
  const trained = variables.map(({ variable, name }): Trained => {
    const { shape } = variable
    const value = new Resource(tensors, shape, idOf(variable))
    return { name, variable, value, slots: names.map(() => zeroSlot(shape)), record: recordOf(variable) }
  })
  const scalar = (value: number) => tensors.float(Float32Array.of(value), [])
  const plain = [tensors.type('T', binding.TF_FLOAT), tensors.bool('use_locking', false)]
  let iterations = 0
  let isDisposed = false

  /** Before the step, as Keras does: value -= value * share. */
  function decay({ value, record }: Trained, share: number): void {
    const factor = scalar(share)
    try {
      binding.executeOp('ResourceApplyGradientDescent', plain, [value.handle, factor, record.id], 0)
    } finally {
      binding.deleteTensor(factor)
    }
  }

  function step({ value, slots, record }: Trained, rate: number, gradient: number): void {
    const handles = slots.map(({ handle }) => handle)
    const inputs = [value.handle, ...kernel.inputs(handles, rate, gradient)]
    // Without a second holder of the memory, TensorFlow changes the variable in place instead of copying it first.
    binding.deleteTensor(record.id)
    try {
      binding.executeOp(kernel.op, [...kernel.attributes], inputs, 0)
    } finally {
      record.id = value.read()
    }
  }

  return {
    get learningRate() {
      return learningRateAt(spec.learningRate, iterations)
    },
    apply(gradients: readonly (Tensor | undefined)[]) {
      const base = learningRateAt(spec.learningRate, iterations)
      const rate = scalar(stepSize(spec, iterations))
      iterations++
      try {
        for (const [index, one] of trained.entries()) {
          const gradient = gradients[index]
          if (!gradient) continue
          const [id] = backend.getInputTensorIds([gradient])
          const share = decayOf(spec, one.name, base)
          if (share > 0) decay(one, share)
          step(one, rate, id as number)
        }
      } finally {
        binding.deleteTensor(rate)
      }
    },
    state(): OptimizerState {
      const slots = new Map<string, Float32Array>()
      for (const [index, one] of trained.entries()) {
        for (const [at, slot] of one.slots.entries()) {
          const id = slot.read()
          slots.set(`${names[at]}.${index}`, binding.tensorDataSync(id) as Float32Array)
          binding.deleteTensor(id)
        }
      }
      return { iterations, slots }
    },
    restore(state) {
      for (const [index, one] of trained.entries()) {
        // Whatever the layers were given last, by setWeights for instance, is what the optimiser goes on from.
        one.record = recordOf(one.variable)
        one.value.assign(idOf(one.variable))
        const { shape } = one.variable
        for (const [at, slot] of one.slots.entries()) {
          const values = state.slots.get(`${names[at]}.${index}`)
          if (values?.length !== sizeOf(shape))
            throw CheckpointUnfit(`no ${names[at]} of variable ${index} with shape [${shape}]`)
          const id = tensors.float(values.slice(), shape)
          slot.assign(id)
          binding.deleteTensor(id)
        }
      }
      iterations = state.iterations
    },
    dispose() {
      if (isDisposed) return
      isDisposed = true
      for (const { value, slots } of trained) for (const one of [value, ...slots]) one.dispose()
      kernel.dispose()
    },
  }
}

const sizeOf = (shape: readonly number[]): number => shape.reduce((product, dim) => product * dim, 1)
