import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { DTYPES } from '../dtype.js'
import { numericField } from '../fields.js'
import { FieldName } from '../knobs.js'

export const cast = declareOp({
  name: 'cast',
  kind: 'record',
  summary: 'Changes the element type, as tf.cast: floats are truncated toward zero.',
  params: Type.Object(
    {
      field: FieldName,
      dtype: Type.Enum(DTYPES),
      overflow: Type.Optional(
        Type.Enum(['error', 'wrap'] as const, {
          description:
            'an int64 that a narrower whole type cannot hold is an error (as if not given), or keeps its low bits as in tf.cast',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  args: (field: string, dtype: (typeof DTYPES)[number], options: { readonly overflow?: 'error' | 'wrap' } = {}) => ({
    field,
    dtype,
    ...options,
  }),
  infer: (signature, { field, dtype }) =>
    withField(signature, field, { dtype, shape: numericField(signature, 'cast', field).shape }),
})
