import { declareOp, withField } from '../declare.js'
import { FieldOnly, imageOfChannels } from './image-field.js'

export const rgbToGrayscale = declareOp({
  name: 'rgbToGrayscale',
  kind: 'record',
  summary: 'RGB to one grey channel, as tf.image.rgb_to_grayscale.',
  params: FieldOnly,
  args: (field: string) => ({ field }),
  infer: (signature, { field }) => {
    const { dtype, shape } = imageOfChannels(signature, 'rgbToGrayscale', field, 3)
    return withField(signature, field, { dtype, shape: [...shape.slice(0, 2), 1] })
  },
})
