import { learningRateAt, type OptimizerSpec } from '@stoker/spec'
import type { Tensor, Variable } from '../load/tfjs.js'

/** Copies of the optimiser's variables, and the steps it has made. */
export interface OptimizerState {
  readonly iterations: number
  /** `<slot>.<index of the variable>`, such as `m.0`. */
  readonly slots: ReadonlyMap<string, Float32Array>
}

/** Changes its variables in place, the way TensorFlow's own kernels do. */
export interface Optimizer {
  /** One gradient for each variable, in their order; a variable without one stays. The caller keeps them. */
  apply(gradients: readonly (Tensor | undefined)[]): void
  /** Of the next step. */
  readonly learningRate: number
  state(): OptimizerState
  /** @throws CheckpointUnfit */
  restore(state: OptimizerState): void
  dispose(): void
}

/** A variable to train. */
export interface Trainable {
  readonly variable: Variable
  /** As the topology names it, such as `hidden/kernel`. */
  readonly name: string
}

/** Names of the variables an optimiser keeps beside each trained one, all zero at first. */
export function slotNames({ type, momentum, amsgrad, centered }: OptimizerSpec): readonly string[] {
  switch (type) {
    case 'sgd':
      return momentum > 0 ? ['momentum'] : []
    case 'adam':
      return amsgrad ? ['m', 'v', 'vhat'] : ['m', 'v']
    case 'rmsprop':
      return centered ? ['ms', 'mom', 'mg'] : ['ms', 'mom']
  }
}

/**
 * The step size at iteration `done` (from 0): the schedule's rate; for Adam with the bias correction in it (Kingma and Ba
 * 2015, end of section 2).
 */
export function stepSize(spec: OptimizerSpec, done: number): number {
  const rate = learningRateAt(spec.learningRate, done)
  if (spec.type !== 'adam') return rate
  return (rate * Math.sqrt(1 - spec.beta2 ** (done + 1))) / (1 - spec.beta1 ** (done + 1))
}

/** What a variable loses before its step, as a share of it; 0 where it does not decay. As Keras does for all optimisers. */
export function decayOf(spec: OptimizerSpec, name: string, rate: number): number {
  const isExcluded = spec.excludeFromWeightDecay.some((part) => name.includes(part))
  return isExcluded ? 0 : spec.weightDecay * rate
}
