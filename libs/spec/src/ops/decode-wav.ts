import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { bytesField } from '../fields.js'
import { FieldName } from '../knobs.js'

export interface Options {
  readonly desiredChannels?: number
  readonly desiredSamples?: number
  readonly sampleRateField?: string
}

export const decodeWav = declareOp({
  name: 'decodeWav',
  kind: 'record',
  summary:
    'WAV bytes to float32[samples,channels] in [-1,1), as tf.audio.decode_wav; 8, 24 and 32 bit PCM and float samples are read too.',
  params: Type.Object(
    {
      field: FieldName,
      desiredChannels: Type.Optional(
        Type.Integer({ minimum: -1, maximum: 256, default: -1, description: 'below 1: as stored' }),
      ),
      desiredSamples: Type.Optional(
        Type.Integer({
          minimum: -1,
          maximum: 1 << 30,
          default: -1,
          description: 'below 1: as stored; else cut or padded with 0',
        }),
      ),
      sampleRateField: Type.Optional(FieldName),
    },
    { additionalProperties: false },
  ),
  args: (field: string, options: Options = {}) => ({ field, ...options }),
  infer: (signature, { field, desiredChannels = -1, desiredSamples = -1, sampleRateField }) => {
    bytesField(signature, 'decodeWav', field)
    const known = (asked: number) => (asked > 0 ? asked : null)
    const audio = withField(signature, field, {
      dtype: 'float32',
      shape: [known(desiredSamples), known(desiredChannels)],
    })
    return sampleRateField === undefined ? audio : withField(audio, sampleRateField, { dtype: 'int32', shape: [] })
  },
  touches: ({ field, sampleRateField }) => (sampleRateField === undefined ? [field] : [field, sampleRateField]),
})
