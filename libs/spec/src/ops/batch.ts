import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import type { Signature } from '../signature.js'

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
  infer: (signature, { size, dropRemainder }) => {
    const batched: Record<string, Signature[string]> = {}
    for (const [name, field] of Object.entries(signature)) {
      batched[name] = { dtype: field.dtype, shape: [dropRemainder ? size : null, ...field.shape] }
    }
    return batched
  },
})
