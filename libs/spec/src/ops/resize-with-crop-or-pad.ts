import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { Size } from './image-field.js'

export const resizeWithCropOrPad = declareOp({
  name: 'resizeWithCropOrPad',
  kind: 'record',
  summary: 'Cuts or pads an image around its middle to [height,width], as tf.image.resize_with_crop_or_pad.',
  params: Type.Object({ field: FieldName, size: Size }, { additionalProperties: false }),
  args: (field: string, size: readonly [height: number, width: number]) => ({ field, size: [...size] }),
  infer: (signature, { field, size }) => {
    const { dtype, shape } = imageField(signature, 'resizeWithCropOrPad', field)
    return withField(signature, field, { dtype, shape: [size[0] ?? null, size[1] ?? null, shape[2] ?? null] })
  },
})
