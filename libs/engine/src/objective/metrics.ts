import type { MetricSpec } from '@stoker/spec'
import type { Tensor, Tf } from '../load/tfjs.js'
import { type MetricSum, rocBuckets } from './metric-sums.js'

/** An output beside its label, flattened to rows. */
export interface Compared {
  readonly tf: Tf
  /** float32[rows, width]; of what a moved softmax or sigmoid left, see `predictions`. */
  readonly output: Tensor
  /** As the model would have given them: float32[rows, width]. */
  readonly predictions: () => Tensor
  /** int32[rows] of classes, or float32[rows, width]. */
  readonly label: Tensor
  readonly isSparse: boolean
}

/** Which accuracy Keras takes for `accuracy`: binary for one value a row, else by the label's shape. */
export function accuracyType(isSparse: boolean, width: number) {
  if (width === 1) return 'binaryAccuracy'
  return isSparse ? 'sparseCategoricalAccuracy' : 'categoricalAccuracy'
}

/** What one batch adds to a metric. Weights of records do not enter, as in Keras's `metrics`. */
export function measure(metric: MetricSpec, compared: Compared): MetricSum {
  const { output, predictions, label, isSparse } = compared
  const width = output.shape[1] as number
  const type = metric.type === 'accuracy' ? accuracyType(isSparse, width) : metric.type
  switch (type) {
    case 'sparseCategoricalAccuracy':
    case 'categoricalAccuracy':
      return share(output.argMax(-1).equal(classesOf(compared)))
    case 'binaryAccuracy':
      return share(predictions().greater(0.5).cast('float32').equal(label.reshape(output.shape).cast('float32')))
    case 'topKAccuracy':
      return share(isInTopK(compared, metric.k))
    case 'mae':
      return mean(predictions().sub(label.reshape(output.shape).cast('float32')).abs())
    case 'mse':
      return mean(predictions().squaredDifference(label.reshape(output.shape).cast('float32')))
    case 'auc':
      return rocBuckets(predictions().dataSync() as Float32Array, label.dataSync())
  }
}

/** int32[rows]. */
const classesOf = ({ label, isSparse }: Compared): Tensor =>
  isSparse ? label.reshape([-1]).cast('int32') : label.argMax(-1)

/** As tf.math.in_top_k: fewer than k classes are above the right one, so ties at the border all count. */
function isInTopK(compared: Compared, k: number): Tensor {
  const { tf, output } = compared
  const width = output.shape[1] as number
  const mask = tf.oneHot(classesOf(compared) as import('@tensorflow/tfjs').Tensor1D, width).cast('float32')
  const right = output.mul(mask).sum(-1, true)
  return output.greater(right).cast('float32').sum(-1).less(k)
}

const share = (hits: Tensor): MetricSum => mean(hits.cast('float32'))
const mean = (values: Tensor): MetricSum => ({ total: values.sum().dataSync()[0] as number, count: values.size })
