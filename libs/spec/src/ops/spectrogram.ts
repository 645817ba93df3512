import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { checkFft, framesIn, type SpectrumOptions, SpectrumParams, signalField } from './audio.js'

export const spectrogram = declareOp({
  name: 'spectrogram',
  kind: 'record',
  summary:
    'Magnitudes of the short-time Fourier transform of a signal [samples]: float32[frames, fftLength/2+1], as tf.abs(tf.signal.stft(...)).',
  params: Type.Object(SpectrumParams, { additionalProperties: false }),
  args: (field: string, options: SpectrumOptions) => ({ field, ...options }),
  infer: (signature, params) => {
    const spec = signalField(signature, 'spectrogram', params.field)
    const bins = checkFft('spectrogram', params) / 2 + 1
    return withField(signature, params.field, { dtype: 'float32', shape: [framesIn(spec, params), bins] })
  },
})
