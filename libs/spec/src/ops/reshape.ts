import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { fieldOf } from '../fields.js'
import { FieldName } from '../knobs.js'
import { describeField } from '../signature.js'
import { elementsOf, wrongShape } from './shapes.js'

export const reshape = declareOp({
  name: 'reshape',
  kind: 'record',
  keepsValues: true,
  summary: 'The same elements in another shape, as tf.reshape; one dimension may be -1 and is then worked out.',
  params: Type.Object(
    {
      field: FieldName,
      shape: Type.Array(Type.Integer({ minimum: -1, maximum: Number.MAX_SAFE_INTEGER }), { maxItems: 8 }),
    },
    { additionalProperties: false },
  ),
  args: (field: string, shape: readonly number[]) => ({ field, shape: [...shape] }),
  infer: (signature, { field, shape }) => {
    const spec = fieldOf(signature, 'reshape', field)
    if (shape.filter((dim) => dim === -1).length > 1) throw wrongShape('reshape', field, 'only one dimension may be -1')
    const have = elementsOf(spec.shape)
    const given = shape.reduce((all, dim) => (dim === -1 ? all : all * dim), 1)
    const fits = have === null || (shape.includes(-1) ? given > 0 && have % given === 0 : have === given)
    if (!fits) {
      throw wrongShape(
        'reshape',
        field,
        `"${field}" is ${describeField(spec)}, which does not fit [${shape.join(',')}]`,
      )
    }
    const free = have === null ? null : have / given
    return withField(signature, field, { dtype: spec.dtype, shape: shape.map((dim) => (dim === -1 ? free : dim)) })
  },
})
