import { Type } from 'typebox'
import { declareSource } from '../declare.js'

const Whole = Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

/** `tf.data.Dataset.range`: the field `value`, int64[]. */
export const range = declareSource({
  name: 'range',
  summary: 'Whole numbers from start up to, not including, stop, as tf.data.Dataset.range.',
  readsShards: false,
  params: Type.Object(
    {
      start: Type.Optional(Type.Integer({ ...Whole, default: 0 })),
      stop: Whole,
      step: Type.Optional(Type.Integer({ ...Whole, default: 1, not: Type.Literal(0) })),
    },
    { additionalProperties: false },
  ),
  infer: () => ({ value: { dtype: 'int64', shape: [] } }),
})

/** How many numbers a range holds. */
export function rangeCount(params: { start?: number; stop: number; step?: number }): number {
  const { start = 0, stop, step = 1 } = params
  return Math.max(0, Math.ceil((stop - start) / step))
}
