import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { FieldName } from '../knobs.js'
import { imageOfChannels } from './image-field.js'

export const adjustSaturation = declareOp({
  name: 'adjustSaturation',
  kind: 'record',
  summary: 'Multiplies the saturation of an RGB image, as tf.image.adjust_saturation.',
  params: Type.Object(
    { field: FieldName, saturationFactor: Type.Number({ minimum: 0 }) },
    { additionalProperties: false },
  ),
  args: (field: string, saturationFactor: number) => ({ field, saturationFactor }),
  infer: (signature, { field }) => {
    imageOfChannels(signature, 'adjustSaturation', field, 3)
    return signature
  },
})
