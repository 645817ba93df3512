import { Type } from 'typebox'
import { declareOp } from '../declare.js'

export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

export const take = declareOp({
  name: 'take',
  kind: 'order',
  summary: 'At most the first count records, or after batch the first count batches, as tf.data.Dataset.take.',
  params: Type.Object({ count: Count }, { additionalProperties: false }),
  args: (count: number) => ({ count }),
  infer: (signature) => signature,
})
