import { castTensor, outOfRange } from '../cast.js'
import { CastRange } from '../error-table.js'
import { tensorOf, withField } from '../fields.js'
import type { KernelOf } from '../kernel.js'

/** As `tf.cast`, but an int64 that a narrower whole type cannot hold is an error unless it is to wrap. */
export const cast: KernelOf<'cast'> =
  ({ field, dtype, overflow = 'error' }) =>
  (record) => {
    const tensor = tensorOf(record, 'cast', field)
    const outside = overflow === 'error' ? outOfRange(tensor, dtype) : undefined
    if (outside !== undefined) throw CastRange(field, String(outside), dtype)
    return withField(record, field, castTensor(tensor, dtype))
  }
