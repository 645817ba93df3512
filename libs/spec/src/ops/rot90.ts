import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'

export const rot90 = declareOp({
  name: 'rot90',
  kind: 'record',
  keepsValues: true,
  summary: 'Turns an image by k quarter turns counter-clockwise, as tf.image.rot90.',
  params: Type.Object(
    { field: FieldName, k: Type.Optional(Type.Integer({ minimum: -1000, maximum: 1000, default: 1 })) },
    { additionalProperties: false },
  ),
  args: (field: string, k?: number) => ({ field, ...(k === undefined ? {} : { k }) }),
  infer: (signature, { field, k = 1 }) => {
    const { dtype, shape } = imageField(signature, 'rot90', field)
    const [height = null, width = null, channels = null] = shape
    return withField(signature, field, { dtype, shape: k % 2 === 0 ? shape : [width, height, channels] })
  },
})
