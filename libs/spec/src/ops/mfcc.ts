import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { WrongFieldType } from '../error-table.js'
import { floatField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { describeField } from '../signature.js'
import { wrongShape } from './shapes.js'

export const mfcc = declareOp({
  name: 'mfcc',
  kind: 'record',
  summary:
    'Cepstral coefficients of a log mel spectrogram [frames,bins], as tf.signal.mfccs_from_log_mel_spectrograms; the first numCoefficients of them.',
  params: Type.Object(
    { field: FieldName, numCoefficients: Type.Optional(Type.Integer({ minimum: 1, maximum: 4096 })) },
    { additionalProperties: false },
  ),
  args: (field: string, numCoefficients?: number) => ({
    field,
    ...(numCoefficients === undefined ? {} : { numCoefficients }),
  }),
  infer: (signature, { field, numCoefficients }) => {
    const spec = floatField(signature, 'mfcc', field)
    const [frames = null, bins = null] = spec.shape
    if (spec.shape.length !== 2) {
      throw WrongFieldType('mfcc', field, 'a log mel spectrogram [frames,bins]', describeField(spec)).with({
        place: { op: 'mfcc', field },
        remedy: 'put melSpectrogram with log: true before it',
      })
    }
    if (bins !== null && (numCoefficients ?? bins) > bins) {
      throw wrongShape('mfcc', field, `${bins} mel bins give no ${numCoefficients} coefficients`)
    }
    return withField(signature, field, { dtype: 'float32', shape: [frames, numCoefficients ?? bins] })
  },
})
