import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { FieldName } from '../knobs.js'
import { imageOfChannels } from './image-field.js'

export const adjustHue = declareOp({
  name: 'adjustHue',
  kind: 'record',
  summary: 'Turns the hue of an RGB image by delta of a full turn, as tf.image.adjust_hue.',
  params: Type.Object(
    { field: FieldName, delta: Type.Number({ minimum: -1, maximum: 1 }) },
    { additionalProperties: false },
  ),
  args: (field: string, delta: number) => ({ field, delta }),
  infer: (signature, { field }) => {
    imageOfChannels(signature, 'adjustHue', field, 3)
    return signature
  },
})
