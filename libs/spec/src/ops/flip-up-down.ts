import { declareOp } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldOnly } from './image-field.js'

export const flipUpDown = declareOp({
  name: 'flipUpDown',
  kind: 'record',
  keepsValues: true,
  summary: 'Mirrors an image top to bottom, as tf.image.flip_up_down.',
  params: FieldOnly,
  args: (field: string) => ({ field }),
  infer: (signature, { field }) => {
    imageField(signature, 'flipUpDown', field)
    return signature
  },
})
