import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { stringsField } from '../fields.js'
import { FieldName } from '../knobs.js'

const params = Type.Object(
  {
    field: FieldName,
    encoding: Type.Optional(
      Type.Union([Type.Literal(''), Type.Literal('utf-8')], {
        default: '',
        description: 'empty: only the ASCII letters change',
      }),
    ),
  },
  { additionalProperties: false },
)
const args = (field: string, options: { readonly encoding?: '' | 'utf-8' } = {}) => ({ field, ...options })

export const lower = declareOp({
  name: 'lower',
  kind: 'record',
  summary: 'Upper case to lower case, as tf.strings.lower.',
  params,
  args,
  infer: (signature, { field }) => {
    stringsField(signature, 'lower', field)
    return signature
  },
})

export const upper = declareOp({
  name: 'upper',
  kind: 'record',
  summary: 'Lower case to upper case, as tf.strings.upper.',
  params,
  args,
  infer: (signature, { field }) => {
    stringsField(signature, 'upper', field)
    return signature
  },
})
