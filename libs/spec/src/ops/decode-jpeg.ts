import { type Static, Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { bytesField } from '../fields.js'
import { FieldName } from '../knobs.js'

/** Channels asked for: 0 takes what the image has. */
export const Channels = Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(3), Type.Literal(4)], { default: 0 })
/** Channels of kinds without alpha. */
export const OpaqueChannels = Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(3)], { default: 0 })
/** Off by default, as in TensorFlow, which ignores the tag. */
export const ApplyOrientation = Type.Boolean({
  default: false,
  description: 'turn a JPEG as its EXIF orientation says; boxes must then be in the turned frame',
})

export const decodedShape = (channels: 0 | 1 | 3 | 4 | undefined): readonly (number | null)[] => [
  null,
  null,
  channels || null,
]

const Options = {
  channels: Type.Optional(OpaqueChannels),
  applyOrientation: Type.Optional(ApplyOrientation),
}
const optionsSchema = () => Type.Object(Options, { additionalProperties: false })

export const decodeJpeg = declareOp({
  name: 'decodeJpeg',
  kind: 'record',
  summary:
    'JPEG bytes to uint8[height,width,channels], bit for bit as tf.io.decode_jpeg with its default DCT; takes PNG, WebP and GIF of one frame, too.',
  params: Type.Object({ field: FieldName, ...Options }, { additionalProperties: false }),
  args: (field: string, options: Static<ReturnType<typeof optionsSchema>> = {}) => ({ field, ...options }),
  infer: (signature, { field, channels }) => {
    bytesField(signature, 'decodeJpeg', field)
    return withField(signature, field, { dtype: 'uint8', shape: decodedShape(channels) })
  },
})
