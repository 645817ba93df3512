import { Type } from 'typebox'
import { declareOp } from '../declare.js'

export const cache = declareOp({
  name: 'cache',
  kind: 'order',
  summary:
    'A hint that what comes before is worth keeping, as tf.data.Dataset.cache. It changes no batch; indexes and inflated shards are kept in any case.',
  params: Type.Object({}, { additionalProperties: false }),
  args: () => ({}),
  infer: (signature) => signature,
})
