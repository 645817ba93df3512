import { type Static, Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { bytesField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { decodedShape } from './decode-jpeg.js'

const Options = {
  channels: Type.Optional(
    Type.Union([Type.Literal(0), Type.Literal(3), Type.Literal(4)], { default: 0, description: '0: as stored' }),
  ),
}
const optionsSchema = () => Type.Object(Options, { additionalProperties: false })

export const decodeBmp = declareOp({
  name: 'decodeBmp',
  kind: 'record',
  summary: 'BMP bytes of 8 bit grey, 24 or 32 bits to uint8[height,width,channels], as tf.io.decode_bmp.',
  params: Type.Object({ field: FieldName, ...Options }, { additionalProperties: false }),
  args: (field: string, options: Static<ReturnType<typeof optionsSchema>> = {}) => ({ field, ...options }),
  infer: (signature, { field, channels }) => {
    bytesField(signature, 'decodeBmp', field)
    return withField(signature, field, { dtype: 'uint8', shape: decodedShape(channels) })
  },
})
