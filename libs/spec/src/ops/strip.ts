import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { stringsField } from '../fields.js'
import { FieldName } from '../knobs.js'

export const strip = declareOp({
  name: 'strip',
  kind: 'record',
  summary: 'Removes ASCII white space at both ends of each text, as tf.strings.strip.',
  params: Type.Object({ field: FieldName }, { additionalProperties: false }),
  args: (field: string) => ({ field }),
  infer: (signature, { field }) => {
    stringsField(signature, 'strip', field)
    return signature
  },
})
