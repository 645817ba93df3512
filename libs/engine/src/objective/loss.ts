import type { LossSpec } from '@stoker/spec'
import type { Scalar, Tensor, Tf } from '../load/tfjs.js'
import { meanLoss, type RowLosses } from './mean-loss.js'

/** As keras.config.epsilon(). */
const EPSILON = 1e-7

/** What the native engine and WASM compute in different ways. */
export interface LossKernels {
  readonly tf: Tf
  /** Cross-entropy of softmax(logits). logits: float32[rows, classes], labels: int32[rows]. */
  sparseSoftmax(logits: Tensor, labels: Tensor): RowLosses
}

/** Whose activation Keras's losses undo: they compute from logits where the model ends with it. */
export const activationOf = ({ type }: LossSpec): 'softmax' | 'sigmoid' | undefined => {
  if (type === 'binaryCrossentropy') return 'sigmoid'
  return type === 'sparseCategoricalCrossentropy' || type === 'categoricalCrossentropy' ? 'softmax' : undefined
}

/**
 * Mean loss of a batch, as Keras computes it.
 *
 * @param isLogits output comes before its softmax or sigmoid
 * @param output float32[batch, ..., width]
 * @param label sparse: int32, one a row; else float32 with as many values as the output
 * @param weights float32[rows]; rows are batch times the dimensions between batch and width
 */
export function lossOf(
  kernels: LossKernels,
  spec: LossSpec,
  isLogits: boolean,
  output: Tensor,
  label: Tensor,
  weights: Tensor | undefined,
): Scalar {
  const { tf } = kernels
  const width = output.shape.at(-1) as number
  const rows = output.reshape([-1, width])
  if (spec.type === 'sparseCategoricalCrossentropy') {
    const logits = isLogits ? rows : rows.clipByValue(EPSILON, 1 - EPSILON).log()
    return meanLoss(tf, logits, weights, (x) => kernels.sparseSoftmax(x, label.reshape([-1])))
  }
  const target = smoothed(label.reshape([-1, width]), spec, width)
  switch (spec.type) {
    case 'categoricalCrossentropy':
      return isLogits
        ? meanLoss(tf, rows, weights, (x) => softmaxLosses(tf, x, target))
        : weightedMean(tf, categorical(rows, target), weights)
    case 'binaryCrossentropy':
      return isLogits
        ? meanLoss(tf, rows, weights, (x) => sigmoidLosses(tf, x, target))
        : weightedMean(tf, binary(tf, rows, target), weights)
    case 'meanSquaredError':
      return meanLoss(tf, rows, weights, (x) => {
        const difference = x.sub(target)
        return { losses: difference.square().mean(-1), gradient: difference.mul(2 / width) }
      })
    case 'meanAbsoluteError':
      return meanLoss(tf, rows, weights, (x) => {
        const difference = x.sub(target)
        return { losses: difference.abs().mean(-1), gradient: difference.sign().mul(1 / width) }
      })
  }
}

function smoothed(target: Tensor, { type, labelSmoothing }: LossSpec, classes: number): Tensor {
  if (labelSmoothing === 0) return target
  return target.mul(1 - labelSmoothing).add(labelSmoothing / (type === 'binaryCrossentropy' ? 2 : classes))
}

/** Against rows of probabilities. */
export function softmaxLosses(tf: Tf, logits: Tensor, target: Tensor): RowLosses {
  const log = tf.logSoftmax(logits)
  return { losses: log.mul(target).sum(-1).neg(), gradient: log.exp().sub(target) }
}

/** The stable form of tf.nn.sigmoid_cross_entropy_with_logits: max(x, 0) - x z + log(1 + exp(-|x|)). */
function sigmoidLosses(tf: Tf, logits: Tensor, target: Tensor): RowLosses {
  const losses = logits.relu().sub(logits.mul(target)).add(tf.log1p(logits.abs().neg().exp()))
  const width = logits.shape.at(-1) as number
  return {
    losses: losses.mean(-1),
    gradient: logits
      .sigmoid()
      .sub(target)
      .mul(1 / width),
  }
}

const categorical = (rows: Tensor, target: Tensor): Tensor =>
  rows
    .div(rows.sum(-1, true))
    .clipByValue(EPSILON, 1 - EPSILON)
    .log()
    .mul(target)
    .sum(-1)
    .neg()

function binary(tf: Tf, rows: Tensor, target: Tensor): Tensor {
  const probabilities = rows.clipByValue(EPSILON, 1 - EPSILON)
  const right = target.mul(probabilities.log())
  const wrong = tf.sub(1, target).mul(tf.sub(1, probabilities).log())
  return right.add(wrong).neg().mean(-1)
}

const weightedMean = (tf: Tf, losses: Tensor, weights: Tensor | undefined): Scalar =>
  tf.mean(weights ? losses.mul(weights) : losses) as Scalar
