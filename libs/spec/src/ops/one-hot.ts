import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { DTYPES, isFloat } from '../dtype.js'
import { WrongFieldType } from '../error-table.js'
import { numericField } from '../fields.js'
import { FieldName } from '../knobs.js'

export interface Options {
  readonly onValue?: number
  readonly offValue?: number
  readonly dtype?: (typeof DTYPES)[number]
}

export const oneHot = declareOp({
  name: 'oneHot',
  kind: 'record',
  summary:
    'A class number as a vector of depth values, as tf.one_hot: onValue at its place, offValue elsewhere and for numbers outside.',
  params: Type.Object(
    {
      field: FieldName,
      depth: Type.Integer({ minimum: 1, maximum: 1 << 24 }),
      onValue: Type.Optional(Type.Number({ default: 1 })),
      offValue: Type.Optional(Type.Number({ default: 0 })),
      dtype: Type.Optional(Type.Enum(DTYPES, { default: 'float32' })),
    },
    { additionalProperties: false },
  ),
  args: (field: string, depth: number, options: Options = {}) => ({ field, depth, ...options }),
  infer: (signature, { field, depth, dtype = 'float32' }) => {
    const spec = numericField(signature, 'oneHot', field)
    if (isFloat(spec.dtype)) {
      throw WrongFieldType('oneHot', field, 'whole numbers', spec.dtype).with({
        place: { op: 'oneHot', field },
        remedy: `put cast('${field}', 'int64') before it`,
      })
    }
    return withField(signature, field, { dtype, shape: [...spec.shape, depth] })
  },
})
