import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { floatField } from '../fields.js'
import { FieldName } from '../knobs.js'

export const log1p = declareOp({
  name: 'log1p',
  kind: 'record',
  summary: 'Natural logarithm of 1 + x of each element of a float field, as tf.math.log1p; for counts and prices.',
  params: Type.Object({ field: FieldName }, { additionalProperties: false }),
  args: (field: string) => ({ field }),
  infer: (signature, { field }) => {
    floatField(signature, 'log1p', field)
    return signature
  },
})
