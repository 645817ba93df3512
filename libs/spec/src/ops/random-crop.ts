import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { describeField } from '../signature.js'
import { OpSeed, type SeedOption } from './random-flip.js'
import { wrongShape } from './shapes.js'

const Side = Type.Integer({ minimum: 1, maximum: 65_535 })
export const ImageSize = Type.Array(Side, { minItems: 2, maxItems: 2, description: '[height, width] in pixels' })

export const randomCrop = declareOp({
  name: 'randomCrop',
  kind: 'record',
  keepsValues: true,
  random: true,
  summary: 'A part of the given size at a random place, as tf.image.random_crop; pad first what may be too small.',
  params: Type.Object({ field: FieldName, size: ImageSize, seed: OpSeed }, { additionalProperties: false }),
  args: (field: string, size: readonly [height: number, width: number], options: SeedOption = {}) => ({
    field,
    size: [...size],
    ...options,
  }),
  infer: (signature, { field, size }) => {
    const spec = imageField(signature, 'randomCrop', field)
    const [height = 0, width = 0] = size
    const [rows, columns, channels = null] = spec.shape
    if ((rows ?? height) < height || (columns ?? width) < width) {
      throw wrongShape('randomCrop', field, `"${field}" is ${describeField(spec)}, smaller than [${size.join(',')}]`)
    }
    return withField(signature, field, { dtype: spec.dtype, shape: [height, width, channels] })
  },
})
