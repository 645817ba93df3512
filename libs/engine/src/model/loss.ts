import type { Train } from '@stoker/spec'
import type { Scalar, Tensor } from '../load/tfjs.js'
import type { LayersRuntime } from './runtime.js'
import { softmaxLoss } from './runtimes.js'

export type LossName = NonNullable<Train['loss']>

// As Keras's backend.epsilon().
const EPSILON = 1e-7

/** Mean loss of a batch. Labels of the sparse loss are int32[...], of the others float32 shaped as the output. */
export function lossOf(
  runtime: LayersRuntime,
  name: LossName,
  givesLogits: boolean,
  output: Tensor,
  label: Tensor,
): Scalar {
  const { tf } = runtime
  if (name === 'meanSquaredError') return tf.mean(tf.squaredDifference(output, label.reshape(output.shape))) as Scalar
  const classes = output.shape.at(-1) as number
  const rows = output.reshape([-1, classes])
  if (givesLogits) {
    return name === 'sparseCategoricalCrossentropy'
      ? runtime.sparseSoftmaxLoss(rows, label.reshape([-1]))
      : softmaxLoss(tf, rows, label.reshape([-1, classes]))
  }
  const target =
    name === 'sparseCategoricalCrossentropy'
      ? tf.oneHot(label.reshape([-1]) as import('@tensorflow/tfjs').Tensor1D, classes).cast('float32')
      : label.reshape([-1, classes])
  const probabilities = rows.div(rows.sum(-1, true)).clipByValue(EPSILON, 1 - EPSILON)
  return probabilities.log().mul(target).sum(-1).neg().mean() as Scalar
}

/** What Keras means by `accuracy`: share of right classes, or of right zeros and ones when there is one output. */
export function accuracyOf(name: LossName, output: Tensor, label: Tensor): Scalar {
  const classes = output.shape.at(-1) as number
  const guess =
    classes === 1 ? output.reshape([-1]).greater(0.5).cast('int32') : output.reshape([-1, classes]).argMax(-1)
  const isSparse = name === 'sparseCategoricalCrossentropy' || classes === 1
  const truth = isSparse ? label.reshape([-1]).cast('int32') : label.reshape([-1, classes]).argMax(-1)
  return guess.cast('int32').equal(truth.cast('int32')).cast('float32').mean() as Scalar
}
