import { declareOp } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldOnly } from './image-field.js'

export const flipLeftRight = declareOp({
  name: 'flipLeftRight',
  kind: 'record',
  keepsValues: true,
  summary: 'Mirrors an image left to right, as tf.image.flip_left_right.',
  params: FieldOnly,
  args: (field: string) => ({ field }),
  infer: (signature, { field }) => {
    imageField(signature, 'flipLeftRight', field)
    return signature
  },
})
