import type { DeferredOp } from '@stoker/plan'
import type { Scalar, Tensor, Tf, Variable } from '../load/tfjs.js'
import type { BatchTensor } from '../types.js'

export interface OptimizerSpec {
  readonly type: 'sgd' | 'adam'
  readonly learningRate: number
}

/** Copies of the optimiser's variables, and the steps it has made. */
export interface OptimizerState {
  readonly iterations: number
  /** `<slot>.<index of the variable>`, such as `m.0`. */
  readonly slots: ReadonlyMap<string, Float32Array>
}

/** Changes its variables in place, the way TensorFlow's own kernels do. */
export interface Optimizer {
  /** One gradient for each variable, in their order. The caller keeps them. */
  apply(gradients: readonly Tensor[]): void
  state(): OptimizerState
  /** @throws CheckpointUnfit */
  restore(state: OptimizerState): void
  dispose(): void
}

/** What differs between the native engine and WASM in training a layers model. */
export interface LayersRuntime {
  readonly tf: Tf
  /** A batch tensor as a tensor of the engine, cast, then multiplied and added to as the deferred ops say. */
  upload(tensor: BatchTensor, deferred: readonly DeferredOp[], dtype: 'float32' | 'int32'): Tensor
  /** Mean over rows. logits: float32[rows, classes], labels: int32[rows]. Differentiable by the logits. */
  sparseSoftmaxLoss(logits: Tensor, labels: Tensor): Scalar
  createOptimizer(spec: OptimizerSpec, variables: readonly Variable[]): Optimizer
  /** Tensors alive in the engine. */
  tensorCount(): number
}

export const ADAM = { beta1: 0.9, beta2: 0.999, epsilon: 1e-7 } as const

/** The step size of Adam at step `iteration` (from 1), bias correction included (Kingma and Ba 2015, end of section 2). */
export const adamRate = (learningRate: number, iteration: number): number =>
  (learningRate * Math.sqrt(1 - ADAM.beta2 ** iteration)) / (1 - ADAM.beta1 ** iteration)
