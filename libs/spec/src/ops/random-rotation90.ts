import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { OpSeed, type SeedOption } from './random-flip.js'

export const randomRotation90 = declareOp({
  name: 'randomRotation90',
  kind: 'record',
  keepsValues: true,
  random: true,
  summary: 'Turns the image by 0 to 3 quarter turns, each as likely, as tf.image.rot90 with a random k.',
  params: Type.Object({ field: FieldName, seed: OpSeed }, { additionalProperties: false }),
  args: (field: string, options: SeedOption = {}) => ({ field, ...options }),
  infer: (signature, { field }) => {
    const { dtype, shape } = imageField(signature, 'randomRotation90', field)
    const [height = null, width = null, channels = null] = shape
    if (height === width) return signature
    return withField(signature, field, { dtype, shape: [null, null, channels] })
  },
})
