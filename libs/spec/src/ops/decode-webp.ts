import { type Static, Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { bytesField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { decodedShape } from './decode-jpeg.js'

const Options = {
  channels: Type.Optional(
    Type.Union([Type.Literal(0), Type.Literal(3), Type.Literal(4)], {
      default: 0,
      description: '0: 4 with alpha, else 3; another number than the image has is refused, as in TensorFlow',
    }),
  ),
}
const optionsSchema = () => Type.Object(Options, { additionalProperties: false })

export const decodeWebp = declareOp({
  name: 'decodeWebp',
  kind: 'record',
  summary: 'WebP bytes (the first frame) to uint8[height,width,channels], as tf.io.decode_webp gives it for frame 0.',
  params: Type.Object({ field: FieldName, ...Options }, { additionalProperties: false }),
  args: (field: string, options: Static<ReturnType<typeof optionsSchema>> = {}) => ({ field, ...options }),
  infer: (signature, { field, channels }) => {
    bytesField(signature, 'decodeWebp', field)
    return withField(signature, field, { dtype: 'uint8', shape: decodedShape(channels) })
  },
})
