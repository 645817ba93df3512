import { type Static, Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { checkFft, framesIn, SpectrumParams, signalField } from './audio.js'
import { wrongShape } from './shapes.js'

const Hertz = (fallback: number) => Type.Optional(Type.Number({ minimum: 0, maximum: 1e6, default: fallback }))
const Params = Type.Object(
  {
    ...SpectrumParams,
    sampleRate: Type.Number({ exclusiveMinimum: 0, maximum: 1e7, description: 'samples a second' }),
    numMelBins: Type.Optional(Type.Integer({ minimum: 1, maximum: 4096, default: 20 })),
    lowerEdgeHertz: Hertz(125),
    upperEdgeHertz: Hertz(3800),
    log: Type.Optional(Type.Boolean({ default: false, description: 'true: natural logarithm of value + logOffset' })),
    logOffset: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1, default: 1e-6 })),
  },
  { additionalProperties: false },
)

export const melSpectrogram = declareOp({
  name: 'melSpectrogram',
  kind: 'record',
  summary:
    'Spectrogram of a signal [samples] on the mel scale: float32[frames, numMelBins], by tf.signal.linear_to_mel_weight_matrix.',
  params: Params,
  args: (field: string, options: Omit<Static<typeof Params>, 'field'>) => ({ field, ...options }),
  infer: (signature, params) => {
    const { field, sampleRate, numMelBins = 20, lowerEdgeHertz = 125, upperEdgeHertz = 3800 } = params
    const spec = signalField(signature, 'melSpectrogram', field)
    checkFft('melSpectrogram', params)
    if (lowerEdgeHertz >= upperEdgeHertz || upperEdgeHertz > sampleRate / 2) {
      const wanted = `lowerEdgeHertz ${lowerEdgeHertz} must be below upperEdgeHertz ${upperEdgeHertz}`
      throw wrongShape('melSpectrogram', field, `${wanted}, and that at most half the sample rate ${sampleRate}`)
    }
    return withField(signature, field, { dtype: 'float32', shape: [framesIn(spec, params), numMelBins] })
  },
})
