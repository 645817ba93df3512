import { declareOp, withField } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldOnly } from './image-field.js'

export const transpose = declareOp({
  name: 'transpose',
  kind: 'record',
  keepsValues: true,
  summary: 'Swaps rows and columns of an image, as tf.image.transpose.',
  params: FieldOnly,
  args: (field: string) => ({ field }),
  infer: (signature, { field }) => {
    const { dtype, shape } = imageField(signature, 'transpose', field)
    const [height = null, width = null, channels = null] = shape
    return withField(signature, field, { dtype, shape: [width, height, channels] })
  },
})
