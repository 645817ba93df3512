import { Type } from 'typebox'
import { declareSource } from '../declare.js'
import { RangeTooLong } from '../error-table.js'

const Whole = Type.Integer({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

// Positions up to here are permuted exactly in double precision.
const MOST_NUMBERS = 2 ** 52

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
  infer: (params) => {
    if (rangeCount(params) > MOST_NUMBERS) throw RangeTooLong().with({ place: { field: 'value' } })
    return { value: { dtype: 'int64', shape: [] } }
  },
})

/** How many numbers a range holds. */
export function rangeCount(params: { start?: number; stop: number; step?: number }): number {
  const { start = 0, stop, step = 1 } = params
  return Math.max(0, Math.ceil((stop - start) / step))
}
