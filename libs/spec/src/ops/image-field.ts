import { Type } from 'typebox'
import { isFloat } from '../dtype.js'
import { WrongFieldType } from '../error-table.js'
import { imageField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { describeField, type Signature } from '../signature.js'

/** Parameters of an op that needs only the name of its field. */
export const FieldOnly = Type.Object({ field: FieldName }, { additionalProperties: false })

/** Lengths of an image's sides, in pixels. */
export const Side = Type.Integer({ minimum: 1, maximum: 65_535 })
export const Size = Type.Array(Side, { minItems: 2, maxItems: 2, description: '[height, width] in pixels' })

/** The named field, which must be an image of so many channels, as far as they are known. */
export function imageOfChannels(
  signature: Signature,
  op: string,
  field: string,
  channels: number,
): ReturnType<typeof imageField> {
  const spec = imageField(signature, op, field)
  const found = spec.shape[2]
  if (found === null || found === channels) return spec
  const remedy =
    found === 1 ? `put grayscaleToRgb('${field}') before it, or decode with channels: 3` : 'decode with other channels'
  throw WrongFieldType(op, field, `an image [height,width,${channels}]`, describeField(spec)).with({
    place: { op, field },
    remedy,
  })
}

/** The named field, which must be a float image of three channels, 0 to 1. */
export function floatImage(signature: Signature, op: string, field: string): ReturnType<typeof imageField> {
  const spec = imageOfChannels(signature, op, field, 3)
  if (isFloat(spec.dtype)) return spec
  throw WrongFieldType(op, field, 'float32 or float64', spec.dtype).with({
    place: { op, field },
    remedy: `put convertImageDtype('${field}', 'float32') before it`,
  })
}
