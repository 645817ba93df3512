import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'

const Side = Type.Integer({ minimum: 1, maximum: 65_535 })

export const resize = declareOp({
  name: 'resize',
  kind: 'record',
  summary: 'Bilinear resize to [height,width], as tf.image.resize: half-pixel centres, no antialias, float32 out.',
  params: Type.Object(
    {
      field: FieldName,
      size: Type.Array(Side, { minItems: 2, maxItems: 2, description: '[height, width] in pixels' }),
      method: Type.Optional(Type.Literal('bilinear', { default: 'bilinear' })),
    },
    { additionalProperties: false },
  ),
  args: (field: string, size: readonly [height: number, width: number]) => ({ field, size: [...size] }),
  infer: (signature, { field, size }) => {
    const { shape } = imageField(signature, 'resize', field)
    return withField(signature, field, {
      dtype: 'float32',
      shape: [size[0] ?? null, size[1] ?? null, shape[2] ?? null],
    })
  },
})
