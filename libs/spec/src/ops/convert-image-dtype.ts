import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { WrongFieldType } from '../error-table.js'
import { numericField } from '../fields.js'
import { FieldName } from '../knobs.js'

/** Element types that hold images; int64 and bool have no scale in TensorFlow's sense that anyone uses. */
export const IMAGE_DTYPES = ['uint8', 'int8', 'uint16', 'int16', 'int32', 'float32', 'float64'] as const
export type ImageDType = (typeof IMAGE_DTYPES)[number]

export const convertImageDtype = declareOp({
  name: 'convertImageDtype',
  kind: 'record',
  summary: 'Changes the element type and the scale with it (0 to 1 for floats), as tf.image.convert_image_dtype.',
  params: Type.Object(
    {
      field: FieldName,
      dtype: Type.Enum(IMAGE_DTYPES),
      saturate: Type.Optional(Type.Boolean({ default: false, description: 'clip what lies outside the type' })),
    },
    { additionalProperties: false },
  ),
  args: (field: string, dtype: ImageDType, options: { readonly saturate?: boolean } = {}) => ({
    field,
    dtype,
    ...options,
  }),
  infer: (signature, { field, dtype }) => {
    const spec = numericField(signature, 'convertImageDtype', field)
    if (!(IMAGE_DTYPES as readonly string[]).includes(spec.dtype)) {
      throw WrongFieldType('convertImageDtype', field, IMAGE_DTYPES.join(', '), spec.dtype).with({
        place: { op: 'convertImageDtype', field },
      })
    }
    return withField(signature, field, { dtype, shape: spec.shape })
  },
})
