import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { Size } from './image-field.js'
import { Antialias, Method, type ResizeMethod } from './resize.js'

export const resizeWithPad = declareOp({
  name: 'resizeWithPad',
  kind: 'record',
  summary: 'Resizes with the ratio kept and fills the rest with zeros, as tf.image.resize_with_pad.',
  params: Type.Object(
    { field: FieldName, size: Size, method: Type.Optional(Method), antialias: Type.Optional(Antialias) },
    { additionalProperties: false },
  ),
  args: (
    field: string,
    size: readonly [height: number, width: number],
    options: { readonly method?: ResizeMethod; readonly antialias?: boolean } = {},
  ) => ({ field, size: [...size], ...options }),
  infer: (signature, { field, size, method }) => {
    const { dtype, shape } = imageField(signature, 'resizeWithPad', field)
    return withField(signature, field, {
      dtype: method === 'nearest' ? dtype : 'float32',
      shape: [size[0] ?? null, size[1] ?? null, shape[2] ?? null],
    })
  },
})
