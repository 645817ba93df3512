import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { ShardOutside } from '../error-table.js'

export const shard = declareOp({
  name: 'shard',
  kind: 'order',
  summary: 'Every numShards-th record (after batch: batch) from index on, as tf.data.Dataset.shard.',
  params: Type.Object(
    {
      numShards: Type.Integer({ minimum: 1, maximum: 1 << 30 }),
      index: Type.Integer({ minimum: 0, maximum: 1 << 30 }),
    },
    { additionalProperties: false },
  ),
  args: (numShards: number, index: number) => ({ numShards, index }),
  infer: (signature, { numShards, index }) => {
    if (index >= numShards) throw ShardOutside(index, numShards)
    return signature
  },
})
