import { declareOp, withField } from '../declare.js'
import { FieldOnly, floatImage } from './image-field.js'

export const rgbToHsv = declareOp({
  name: 'rgbToHsv',
  kind: 'record',
  summary: 'Float RGB of 0 to 1 to hue, saturation and value, as tf.image.rgb_to_hsv.',
  params: FieldOnly,
  args: (field: string) => ({ field }),
  infer: (signature, { field }) => {
    const { dtype, shape } = floatImage(signature, 'rgbToHsv', field)
    return withField(signature, field, { dtype, shape: [...shape.slice(0, 2), 3] })
  },
})
