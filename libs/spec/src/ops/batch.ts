import { Type } from 'typebox'
import { declareOp } from '../declare.js'

export const batch = declareOp({
  name: 'batch',
  kind: 'order',
  summary: 'Stacks consecutive records, as tf.data.Dataset.batch; the last batch of an epoch may be short.',
  params: Type.Object(
    {
      size: Type.Integer({ minimum: 1, maximum: 1 << 20 }),
      dropRemainder: Type.Optional(Type.Boolean({ default: false })),
    },
    { additionalProperties: false },
  ),
  args: (size: number, options: { readonly dropRemainder?: boolean } = {}) => ({ size, ...options }),
  infer: (signature) => signature,
})
