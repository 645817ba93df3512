import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { Count } from './take.js'

export const skip = declareOp({
  name: 'skip',
  kind: 'order',
  summary: 'All but the first count records, or after batch all but the first count batches, as tf.data.Dataset.skip.',
  params: Type.Object({ count: Count }, { additionalProperties: false }),
  args: (count: number) => ({ count }),
  infer: (signature) => signature,
})
