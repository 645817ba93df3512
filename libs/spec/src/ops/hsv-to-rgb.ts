import { declareOp, withField } from '../declare.js'
import { FieldOnly, floatImage } from './image-field.js'

export const hsvToRgb = declareOp({
  name: 'hsvToRgb',
  kind: 'record',
  summary: 'Hue, saturation and value to float RGB, as tf.image.hsv_to_rgb.',
  params: FieldOnly,
  args: (field: string) => ({ field }),
  infer: (signature, { field }) => {
    const { dtype, shape } = floatImage(signature, 'hsvToRgb', field)
    return withField(signature, field, { dtype, shape: [...shape.slice(0, 2), 3] })
  },
})
