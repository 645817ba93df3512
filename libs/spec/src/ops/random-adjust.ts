import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { WrongFieldType } from '../error-table.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { describeField, type Signature } from '../signature.js'
import { OpSeed, type SeedOption } from './random-flip.js'
import { wrongShape } from './shapes.js'

const Factor = Type.Number({ minimum: 0 })
const strict = { additionalProperties: false } as const
const rangeParams = Type.Object({ field: FieldName, lower: Factor, upper: Factor, seed: OpSeed }, strict)
const rangeArgs = (field: string, lower: number, upper: number, options: SeedOption = {}) => ({
  field,
  lower,
  upper,
  ...options,
})
const deltaArgs = (field: string, maxDelta: number, options: SeedOption = {}) => ({ field, maxDelta, ...options })

const ADJUSTED: readonly string[] = ['uint8', 'int8', 'uint16', 'int16', 'int32', 'float32', 'float64']

/** An adjusted image keeps type and shape; saturation and hue are those of red, green and blue. */
function adjustable(signature: Signature, op: string, field: string, colours: boolean): Signature {
  const spec = imageField(signature, op, field)
  if (!ADJUSTED.includes(spec.dtype)) {
    throw WrongFieldType(op, field, ADJUSTED.join(', '), spec.dtype).with({ place: { op, field } })
  }
  const channels = spec.shape[2] ?? null
  if (colours && channels !== null && channels !== 3) {
    throw WrongFieldType(op, field, 'an image [height,width,3]', describeField(spec)).with({ place: { op, field } })
  }
  return signature
}

function inOrder(op: string, { field, lower, upper }: { field: string; lower: number; upper: number }): void {
  if (lower >= upper) throw wrongShape(op, field, `lower ${lower} is not below upper ${upper}`)
}

export const randomBrightness = declareOp({
  name: 'randomBrightness',
  kind: 'record',
  random: true,
  summary:
    'Adds a number from [-maxDelta, maxDelta) to all pixels, as tf.image.random_brightness: 1 is the whole range of whole-number pixels.',
  params: Type.Object({ field: FieldName, maxDelta: Factor, seed: OpSeed }, strict),
  args: deltaArgs,
  infer: (signature, { field }) => adjustable(signature, 'randomBrightness', field, false),
})

export const randomContrast = declareOp({
  name: 'randomContrast',
  kind: 'record',
  random: true,
  summary: 'Stretches each channel about its mean by a factor from [lower, upper), as tf.image.random_contrast.',
  params: rangeParams,
  args: rangeArgs,
  infer: (signature, params) => {
    inOrder('randomContrast', params)
    return adjustable(signature, 'randomContrast', params.field, false)
  },
})

export const randomSaturation = declareOp({
  name: 'randomSaturation',
  kind: 'record',
  random: true,
  summary: 'Multiplies the saturation of an RGB image by a factor from [lower, upper), as tf.image.random_saturation.',
  params: rangeParams,
  args: rangeArgs,
  infer: (signature, params) => {
    inOrder('randomSaturation', params)
    return adjustable(signature, 'randomSaturation', params.field, true)
  },
})

export const randomHue = declareOp({
  name: 'randomHue',
  kind: 'record',
  random: true,
  summary: 'Turns the hue of an RGB image by a number from [-maxDelta, maxDelta) of a turn, as tf.image.random_hue.',
  params: Type.Object({ field: FieldName, maxDelta: Type.Number({ minimum: 0, maximum: 0.5 }), seed: OpSeed }, strict),
  args: deltaArgs,
  infer: (signature, { field }) => adjustable(signature, 'randomHue', field, true),
})
