import { Type } from 'typebox'
import { declareOp } from '../declare.js'

export const repeat = declareOp({
  name: 'repeat',
  kind: 'order',
  summary:
    'Goes through the data count times, as tf.data.Dataset.repeat; without a count, after batch, the job says how many epochs.',
  params: Type.Object(
    { count: Type.Optional(Type.Integer({ minimum: 1, maximum: 1 << 30 })) },
    { additionalProperties: false },
  ),
  args: (count?: number) => (count === undefined ? {} : { count }),
  infer: (signature) => signature,
})
