import { type Static, Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { bytesField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { Channels, decodedShape } from './decode-jpeg.js'

const Options = {
  channels: Type.Optional(Channels),
  dtype: Type.Optional(
    Type.Enum(['uint8', 'uint16'] as const, {
      default: 'uint8',
      description: 'uint8 drops the low byte of 16 bit samples, uint16 keeps it',
    }),
  ),
}
const optionsSchema = () => Type.Object(Options, { additionalProperties: false })

export const decodePng = declareOp({
  name: 'decodePng',
  kind: 'record',
  summary:
    'PNG bytes to uint8 or uint16[height,width,channels], as tf.io.decode_png; takes JPEG, WebP and GIF of one frame, too.',
  params: Type.Object({ field: FieldName, ...Options }, { additionalProperties: false }),
  args: (field: string, options: Static<ReturnType<typeof optionsSchema>> = {}) => ({ field, ...options }),
  infer: (signature, { field, channels, dtype = 'uint8' }) => {
    bytesField(signature, 'decodePng', field)
    return withField(signature, field, { dtype, shape: decodedShape(channels) })
  },
})
