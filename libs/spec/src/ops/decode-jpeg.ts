import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { bytesField } from '../fields.js'
import { FieldName } from '../knobs.js'

/** Channels asked for: 0 takes what the image has. */
export const Channels = Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(3), Type.Literal(4)], { default: 0 })

export interface DecodeOptions {
  readonly channels?: 0 | 1 | 3 | 4
}

export const decodedShape = (channels: 0 | 1 | 3 | 4 | undefined): readonly (number | null)[] => [
  null,
  null,
  channels || null,
]

export const decodeJpeg = declareOp({
  name: 'decodeJpeg',
  kind: 'record',
  summary: 'JPEG bytes to uint8[height,width,channels], bit for bit as tf.io.decode_jpeg with its default DCT.',
  params: Type.Object(
    {
      field: FieldName,
      channels: Type.Optional(Type.Union([Type.Literal(0), Type.Literal(1), Type.Literal(3)], { default: 0 })),
    },
    { additionalProperties: false },
  ),
  args: (field: string, options: { readonly channels?: 0 | 1 | 3 } = {}) => ({ field, ...options }),
  infer: (signature, { field, channels }) => {
    bytesField(signature, 'decodeJpeg', field)
    return withField(signature, field, { dtype: 'uint8', shape: decodedShape(channels) })
  },
})
