import type { Scalar, Tensor, Tf } from '../load/tfjs.js'

/** A loss of each row, float32[rows], and its derivative by the row's values, float32[rows, width]. */
export interface RowLosses {
  readonly losses: Tensor
  readonly gradient: Tensor
}

/**
 * The mean over rows of weight times loss; the gradient is taken in closed form, without a tape through the loss.
 * Keras's `sum_over_batch_size`: the divisor is the number of rows, whatever the weights.
 *
 * @param output float32[rows, width]
 * @param weights float32[rows]; undefined: all 1
 */
export function meanLoss(
  tf: Tf,
  output: Tensor,
  weights: Tensor | undefined,
  compute: (output: Tensor) => RowLosses,
): Scalar {
  return tf.customGrad((x, save) => {
    const { losses, gradient } = compute(x as Tensor)
    const rows = losses.size
    ;(save as (kept: Tensor[]) => void)([gradient])
    return {
      value: tf.mean(weights ? losses.mul(weights) : losses),
      gradFunc: (dy: Tensor, saved: Tensor[]) => {
        const perRow = dy.div(rows)
        return (saved[0] as Tensor).mul(weights ? weights.reshape([rows, 1]).mul(perRow) : perRow)
      },
    }
  })(output) as Scalar
}
