import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { stringsField } from '../fields.js'
import { FieldName } from '../knobs.js'

const NUMBER_TYPES = ['float32', 'float64', 'int32', 'int64'] as const

export const stringToNumber = declareOp({
  name: 'stringToNumber',
  kind: 'record',
  summary: 'Texts to numbers, as tf.strings.to_number.',
  params: Type.Object(
    { field: FieldName, dtype: Type.Optional(Type.Enum(NUMBER_TYPES, { default: 'float32' })) },
    { additionalProperties: false },
  ),
  args: (field: string, dtype?: (typeof NUMBER_TYPES)[number]) => ({ field, ...(dtype ? { dtype } : {}) }),
  infer: (signature, { field, dtype = 'float32' }) =>
    withField(signature, field, { dtype, shape: stringsField(signature, 'stringToNumber', field).shape }),
})
