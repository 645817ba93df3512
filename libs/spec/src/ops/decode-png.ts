import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { bytesField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { Channels, type DecodeOptions, decodedShape } from './decode-jpeg.js'

export const decodePng = declareOp({
  name: 'decodePng',
  kind: 'record',
  summary: 'PNG bytes to uint8[height,width,channels], as tf.io.decode_png.',
  params: Type.Object({ field: FieldName, channels: Type.Optional(Channels) }, { additionalProperties: false }),
  args: (field: string, options: DecodeOptions = {}) => ({ field, ...options }),
  infer: (signature, { field, channels }) => {
    bytesField(signature, 'decodePng', field)
    return withField(signature, field, { dtype: 'uint8', shape: decodedShape(channels) })
  },
})
