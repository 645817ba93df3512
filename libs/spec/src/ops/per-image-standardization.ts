import { declareOp, withField } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldOnly } from './image-field.js'

export const perImageStandardization = declareOp({
  name: 'perImageStandardization',
  kind: 'record',
  summary: 'Mean 0 and deviation 1 over all values of the image, float32, as tf.image.per_image_standardization.',
  params: FieldOnly,
  args: (field: string) => ({ field }),
  infer: (signature, { field }) => {
    const { shape } = imageField(signature, 'perImageStandardization', field)
    return withField(signature, field, { dtype: 'float32', shape })
  },
})
