import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { stringsField } from '../fields.js'
import { FieldName } from '../knobs.js'

export const decodeBase64 = declareOp({
  name: 'decodeBase64',
  kind: 'record',
  summary: 'Web-safe base64 to bytes, as tf.io.decode_base64; padding may be left out.',
  params: Type.Object({ field: FieldName }, { additionalProperties: false }),
  args: (field: string) => ({ field }),
  infer: (signature, { field }) => withField(signature, field, stringsField(signature, 'decodeBase64', field)),
})
