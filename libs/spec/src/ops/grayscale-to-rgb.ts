import { declareOp, withField } from '../declare.js'
import { FieldOnly, imageOfChannels } from './image-field.js'

export const grayscaleToRgb = declareOp({
  name: 'grayscaleToRgb',
  kind: 'record',
  summary: 'One grey channel to RGB, as tf.image.grayscale_to_rgb.',
  params: FieldOnly,
  args: (field: string) => ({ field }),
  infer: (signature, { field }) => {
    const { dtype, shape } = imageOfChannels(signature, 'grayscaleToRgb', field, 1)
    return withField(signature, field, { dtype, shape: [...shape.slice(0, 2), 3] })
  },
})
