import type { DeferredOp } from '@stoker/plan'

/** What the deferred ops of a field come to: `value * factor + offset` on floats. */
export interface Affine {
  readonly factor: number
  readonly offset: number
}

/** Folds a chain of casts and scales into one multiply-add; undefined when it changes nothing. */
export function foldDeferred(ops: readonly DeferredOp[]): Affine | undefined {
  let factor = 1
  let offset = 0
  for (const op of ops) {
    if (op.op !== 'scale') continue
    factor *= op.factor
    offset = offset * op.factor + op.offset
  }
  return factor === 1 && offset === 0 ? undefined : { factor, offset }
}
