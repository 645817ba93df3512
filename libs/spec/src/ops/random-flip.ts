import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'

/** Mixed into what the op draws; two ops of one chain draw different numbers without it. */
export const OpSeed = Type.Optional(
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description: 'mixed into the draws of this op' }),
)
export interface SeedOption {
  readonly seed?: number
}

const params = Type.Object({ field: FieldName, seed: OpSeed }, { additionalProperties: false })
const args = (field: string, options: SeedOption = {}) => ({ field, ...options })

export const randomFlipLeftRight = declareOp({
  name: 'randomFlipLeftRight',
  kind: 'record',
  keepsValues: true,
  random: true,
  summary: 'Mirrors the image with a chance of one half, as tf.image.random_flip_left_right.',
  params,
  args,
  infer: (signature, { field }) => {
    imageField(signature, 'randomFlipLeftRight', field)
    return signature
  },
})

export const randomFlipUpDown = declareOp({
  name: 'randomFlipUpDown',
  kind: 'record',
  keepsValues: true,
  random: true,
  summary: 'Turns the image upside down with a chance of one half, as tf.image.random_flip_up_down.',
  params,
  args,
  infer: (signature, { field }) => {
    imageField(signature, 'randomFlipUpDown', field)
    return signature
  },
})
