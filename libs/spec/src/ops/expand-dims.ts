import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { fieldOf } from '../fields.js'
import { FieldName } from '../knobs.js'
import { axisOf } from './shapes.js'

export const Axis = Type.Integer({ minimum: -8, maximum: 7 })

export const expandDims = declareOp({
  name: 'expandDims',
  kind: 'record',
  keepsValues: true,
  summary: 'Adds a dimension of size 1 at axis, as tf.expand_dims; -1 adds it at the end.',
  params: Type.Object({ field: FieldName, axis: Axis }, { additionalProperties: false }),
  args: (field: string, axis: number) => ({ field, axis }),
  infer: (signature, { field, axis }) => {
    const spec = fieldOf(signature, 'expandDims', field)
    const at = axisOf('expandDims', field, spec, axis, spec.shape.length + 1)
    return withField(signature, field, { dtype: spec.dtype, shape: spec.shape.toSpliced(at, 0, 1) })
  },
})
