import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'

export const adjustBrightness = declareOp({
  name: 'adjustBrightness',
  kind: 'record',
  summary: 'Adds delta to every value (pixels by way of 0 to 1, clipped), as tf.image.adjust_brightness.',
  params: Type.Object({ field: FieldName, delta: Type.Number() }, { additionalProperties: false }),
  args: (field: string, delta: number) => ({ field, delta }),
  infer: (signature, { field }) => {
    imageField(signature, 'adjustBrightness', field)
    return signature
  },
})
