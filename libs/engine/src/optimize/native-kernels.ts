import type { OptimizerSpec } from '@stoker/spec'
import type { OpAttribute } from '../load/native.js'
import type { NativeTensors } from '../model/native-tensors.js'
import { slotNames } from './optimizer.js'

/** A TensorFlow kernel that makes one variable's step. Inputs are ids: the variable first, then as below. */
export interface StepKernel {
  readonly op: string
  readonly attributes: readonly OpAttribute[]
  /** @param slots handles, in the order of `slotNames` */
  inputs(slots: readonly number[], rate: number, gradient: number): readonly number[]
  dispose(): void
}

/** The fused kernel of each optimiser (tensorflow/core/kernels/training_ops.cc). */
export function stepKernel(tensors: NativeTensors, spec: OptimizerSpec): StepKernel {
  const { binding } = tensors
  const held: number[] = []
  const constant = (value: number): number => {
    const id = tensors.float(Float32Array.of(value), [])
    held.push(id)
    return id
  }
  const plain = [tensors.type('T', binding.TF_FLOAT), tensors.bool('use_locking', false)]
  const nesterov = (value: boolean) => [...plain, tensors.bool('use_nesterov', value)]
  const dispose = () => {
    for (const id of held) binding.deleteTensor(id)
    held.length = 0
  }
  const needed = slotNames(spec).length
  const checked = (slots: readonly number[]): readonly number[] => {
    if (slots.length !== needed) throw new Error(`${spec.type} has ${slots.length} slots in place of ${needed}`)
    return slots
  }

  switch (spec.type) {
    case 'adam': {
      // The bias correction is in the rate, so the powers of beta are given as 0.
      const [zero, beta1, beta2, epsilon] = [0, spec.beta1, spec.beta2, spec.epsilon].map(constant) as FourIds
      return {
        op: spec.amsgrad ? 'ResourceApplyAdamWithAmsgrad' : 'ResourceApplyAdam',
        attributes: spec.amsgrad ? plain : nesterov(false),
        inputs: (slots, rate, gradient) => [...checked(slots), zero, zero, rate, beta1, beta2, epsilon, gradient],
        dispose,
      }
    }
    case 'rmsprop': {
      const hyper = [spec.rho, spec.momentum, spec.epsilon].map(constant)
      return {
        op: spec.centered ? 'ResourceApplyCenteredRMSProp' : 'ResourceApplyRMSProp',
        attributes: plain,
        inputs: (slots, rate, gradient) => {
          const [ms, mom, mg] = checked(slots) as readonly [number, number, number | undefined]
          return [...(mg === undefined ? [] : [mg]), ms, mom, rate, ...hyper, gradient]
        },
        dispose,
      }
    }
    case 'sgd': {
      if (needed === 0) {
        const inputs = (_slots: readonly number[], rate: number, gradient: number) => [rate, gradient]
        return { op: 'ResourceApplyGradientDescent', attributes: plain, inputs, dispose }
      }
      const momentum = constant(spec.momentum)
      return {
        op: 'ResourceApplyKerasMomentum',
        attributes: nesterov(spec.nesterov),
        inputs: (slots, rate, gradient) => [...checked(slots), rate, gradient, momentum],
        dispose,
      }
    }
  }
}

type FourIds = [number, number, number, number]
