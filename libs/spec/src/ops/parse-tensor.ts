import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { DTYPES } from '../dtype.js'
import { bytesField } from '../fields.js'
import { FieldName } from '../knobs.js'

const TENSOR_TYPES = [...DTYPES, 'string'] as const
const Dim = Type.Union([Type.Integer({ minimum: 0, maximum: 1 << 30 }), Type.Null()])

export const parseTensor = declareOp({
  name: 'parseTensor',
  kind: 'record',
  summary: 'A serialized TensorProto to a tensor, as tf.io.parse_tensor and tf.ensure_shape.',
  params: Type.Object(
    {
      field: FieldName,
      dtype: Type.Enum(TENSOR_TYPES),
      shape: Type.Array(Dim, { maxItems: 8, description: 'null is any length; a tensor of another shape is an error' }),
    },
    { additionalProperties: false },
  ),
  args: (field: string, dtype: (typeof TENSOR_TYPES)[number], shape: readonly (number | null)[]) => ({
    field,
    dtype,
    shape: [...shape],
  }),
  infer: (signature, { field, dtype, shape }) => {
    bytesField(signature, 'parseTensor', field)
    return withField(signature, field, { dtype, shape })
  },
})
