import type { Tensor } from '@stoker/formats'
import { tensorOf, withField } from '../fields.js'
import type { RecordFunction } from '../kernel.js'

/** A record function that puts one field through a function on tensors. */
export function imageOp(op: string, field: string, run: (image: Tensor) => Tensor): RecordFunction {
  return (record) => withField(record, field, run(tensorOf(record, op, field)))
}
