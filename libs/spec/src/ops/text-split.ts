import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { bytesField } from '../fields.js'
import { FieldName } from '../knobs.js'

export const textSplit = declareOp({
  name: 'textSplit',
  kind: 'record',
  summary: 'Cuts a text into a list of words, as tf.strings.split: at runs of ASCII white space, or at each separator.',
  params: Type.Object(
    {
      field: FieldName,
      separator: Type.Optional(Type.String({ default: '', description: 'empty: runs of white space' })),
      maxSplit: Type.Optional(Type.Integer({ minimum: -1, default: -1, description: '-1: no limit' })),
    },
    { additionalProperties: false },
  ),
  args: (field: string, options: { readonly separator?: string; readonly maxSplit?: number } = {}) => ({
    field,
    ...options,
  }),
  infer: (signature, { field }) => {
    bytesField(signature, 'textSplit', field)
    return withField(signature, field, { dtype: 'string', shape: [null] })
  },
})
