import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { isFloat } from '../dtype.js'
import { WrongFieldType } from '../error-table.js'
import { numericField } from '../fields.js'
import { FieldName } from '../knobs.js'

export const scale = declareOp({
  name: 'scale',
  kind: 'record',
  summary:
    'Multiplies by a factor and adds an offset: x * factor + offset, in the type of the field, which must be float.',
  params: Type.Object(
    { field: FieldName, factor: Type.Number(), offset: Type.Optional(Type.Number({ default: 0 })) },
    { additionalProperties: false },
  ),
  args: (field: string, factor: number, offset?: number) => ({
    field,
    factor,
    ...(offset === undefined ? {} : { offset }),
  }),
  infer: (signature, { field }) => {
    const { dtype, shape } = numericField(signature, 'scale', field)
    if (!isFloat(dtype)) {
      throw WrongFieldType('scale', field, 'float32 or float64', dtype).with({
        place: { op: 'scale', field },
        remedy: `put cast('${field}', 'float32') before it`,
      })
    }
    return withField(signature, field, { dtype, shape })
  },
})
