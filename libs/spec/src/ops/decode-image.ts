import { type Static, Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { bytesField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { ApplyOrientation, Channels, decodedShape } from './decode-jpeg.js'

const Options = {
  channels: Type.Optional(Channels),
  dtype: Type.Optional(
    Type.Enum(['uint8', 'uint16', 'float32'] as const, { default: 'uint8', description: 'float32 spans 0 to 1' }),
  ),
  expandAnimations: Type.Optional(
    Type.Literal(false, { default: false, description: 'the first frame of an animation; all frames are not had' }),
  ),
  applyOrientation: Type.Optional(ApplyOrientation),
}
const optionsSchema = () => Type.Object(Options, { additionalProperties: false })

export const decodeImage = declareOp({
  name: 'decodeImage',
  kind: 'record',
  summary:
    'JPEG, PNG, GIF (first frame), BMP or WebP bytes, told apart by the bytes, to [height,width,channels], as tf.io.decode_image with expand_animations=False.',
  params: Type.Object({ field: FieldName, ...Options }, { additionalProperties: false }),
  args: (field: string, options: Static<ReturnType<typeof optionsSchema>> = {}) => ({ field, ...options }),
  infer: (signature, { field, channels, dtype = 'uint8' }) => {
    bytesField(signature, 'decodeImage', field)
    return withField(signature, field, { dtype, shape: decodedShape(channels) })
  },
})
