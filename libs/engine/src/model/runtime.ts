import type { DeferredOp } from '@stoker/plan'
import type { OptimizerSpec } from '@stoker/spec'
import type { Tensor } from '../load/tfjs.js'
import type { LossKernels } from '../objective/loss.js'
import type { Optimizer, Trainable } from '../optimize/optimizer.js'
import type { BatchTensor } from '../types.js'

/** What differs between the native engine and WASM in training a layers model. */
export interface LayersRuntime extends LossKernels {
  /** A batch tensor as a tensor of the engine, cast, then multiplied and added to as the deferred ops say. */
  upload(tensor: BatchTensor, deferred: readonly DeferredOp[], dtype: 'float32' | 'int32'): Tensor
  createOptimizer(spec: OptimizerSpec, variables: readonly Trainable[]): Optimizer
  /** Tensors alive in the engine. */
  tensorCount(): number
}
