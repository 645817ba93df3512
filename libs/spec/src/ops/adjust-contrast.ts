import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'

export const adjustContrast = declareOp({
  name: 'adjustContrast',
  kind: 'record',
  summary: 'Moves values away from the mean of their channel, as tf.image.adjust_contrast.',
  params: Type.Object({ field: FieldName, contrastFactor: Type.Number() }, { additionalProperties: false }),
  args: (field: string, contrastFactor: number) => ({ field, contrastFactor }),
  infer: (signature, { field }) => {
    imageField(signature, 'adjustContrast', field)
    return signature
  },
})
