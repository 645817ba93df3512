import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { fieldOf } from '../fields.js'
import { FieldName } from '../knobs.js'
import { describeField } from '../signature.js'
import { Axis } from './expand-dims.js'
import { axisOf, wrongShape } from './shapes.js'

export const squeeze = declareOp({
  name: 'squeeze',
  kind: 'record',
  keepsValues: true,
  summary: 'Removes the dimensions of size 1, or those named by axis, as tf.squeeze.',
  params: Type.Object(
    { field: FieldName, axis: Type.Optional(Type.Array(Axis, { minItems: 1, maxItems: 8 })) },
    { additionalProperties: false },
  ),
  args: (field: string, axis?: number | readonly number[]) => ({
    field,
    ...(axis === undefined ? {} : { axis: typeof axis === 'number' ? [axis] : [...axis] }),
  }),
  infer: (signature, { field, axis }) => {
    const spec = fieldOf(signature, 'squeeze', field)
    const { shape } = spec
    if (!axis && shape.includes(null)) {
      throw wrongShape(
        'squeeze',
        field,
        `"${field}" is ${describeField(spec)}: say by axis which dimensions have size 1`,
      )
    }
    const gone = axis?.map((one) => axisOf('squeeze', field, spec, one)) ?? []
    const wrong = gone.find((at) => shape[at] !== 1 && shape[at] !== null)
    if (wrong !== undefined) {
      throw wrongShape(
        'squeeze',
        field,
        `dimension ${wrong} of "${field}", ${describeField(spec)}, does not have size 1`,
      )
    }
    const left = shape.filter((dim, at) => (axis ? !gone.includes(at) : dim !== 1))
    return withField(signature, field, { dtype: spec.dtype, shape: left })
  },
})
