import type { OptimizerSpec } from '@stoker/spec'
import type { Tensor, Tf } from '../load/tfjs.js'

/** Gradients within the optimizer's bound, by the formulas of Keras (tf.clip_by_value, _by_norm, _by_global_norm). */
export function clipGradients(
  tf: Tf,
  clip: OptimizerSpec['clip'],
  gradients: readonly (Tensor | undefined)[],
): readonly (Tensor | undefined)[] {
  if (!clip) return gradients
  const { by, bound } = clip
  const each = (change: (gradient: Tensor) => Tensor) => gradients.map((one) => one && change(one))
  if (by === 'value') return each((gradient) => gradient.clipByValue(-bound, bound))
  if (by === 'norm') {
    return each((gradient) => gradient.mul(bound).div(tf.maximum(gradient.square().sum().sqrt(), bound)))
  }
  const squares = gradients.flatMap((one) => (one ? [one.square().sum()] : []))
  const norm = tf.addN(squares).sqrt()
  // Not a number where the norm is none: a step by a share of infinity would look like one that was made.
  const factor = tf.minimum(tf.div(1, norm), 1 / bound).mul(bound)
  const scale = tf.where(tf.isFinite(norm), factor, Number.NaN)
  return each((gradient) => gradient.mul(scale))
}
