import { Type } from 'typebox'
import { WrongFieldType } from '../error-table.js'
import { floatField } from '../fields.js'
import { FieldName } from '../knobs.js'
import { describeField, type FieldSpec, type Signature } from '../signature.js'
import { wrongShape } from './shapes.js'

/** How a signal is cut into frames, as tf.signal.frame. */
export const FrameParams = {
  field: FieldName,
  frameLength: Type.Integer({ minimum: 1, maximum: 1 << 20, description: 'samples of a frame' }),
  frameStep: Type.Integer({ minimum: 1, maximum: 1 << 20, description: 'samples from one frame to the next' }),
  padEnd: Type.Optional(
    Type.Boolean({ default: false, description: 'true: frames that reach past the end are kept and padded' }),
  ),
} as const

/** And how each is brought to a spectrum, as tf.signal.stft. */
export const SpectrumParams = {
  ...FrameParams,
  fftLength: Type.Optional(
    Type.Integer({
      minimum: 2,
      maximum: 1 << 20,
      description: 'a power of two; by default the next from frameLength on',
    }),
  ),
  window: Type.Optional(
    Type.Union([Type.Literal('hann'), Type.Literal('hamming'), Type.Literal('none')], { default: 'hann' }),
  ),
  power: Type.Optional(
    Type.Union([Type.Literal(1), Type.Literal(2)], { default: 1, description: '1: magnitudes, 2: their squares' }),
  ),
} as const

export interface FrameOptions {
  readonly frameLength: number
  readonly frameStep: number
  readonly padEnd?: boolean
}
export interface SpectrumOptions extends FrameOptions {
  readonly fftLength?: number
  readonly window?: 'hann' | 'hamming' | 'none'
  readonly power?: 1 | 2
}

/** The enclosing power of two, TensorFlow's default. */
export const fftLengthOf = ({ fftLength, frameLength }: { fftLength?: number; frameLength: number }): number =>
  fftLength ?? Math.max(2, 2 ** Math.ceil(Math.log2(frameLength)))

/** One channel of samples: floats of shape [samples]. */
export function signalField(signature: Signature, op: string, field: string): FieldSpec {
  const spec = floatField(signature, op, field)
  if (spec.shape.length === 1) return spec
  throw WrongFieldType(op, field, 'one channel [samples]', describeField(spec)).with({
    place: { op, field },
    remedy: `for decoded audio: decodeWav with desiredChannels 1, then squeeze('${field}', -1)`,
  })
}

/** Frames of a signal, where its length is known. */
export function framesIn(
  { shape }: FieldSpec,
  { frameLength, frameStep, padEnd = false }: FrameOptions,
): number | null {
  const samples = shape[0] ?? null
  if (samples === null) return null
  return padEnd ? Math.ceil(samples / frameStep) : Math.max(0, 1 + Math.floor((samples - frameLength) / frameStep))
}

/** @throws StokerError for an FFT that cannot be computed */
export function checkFft(op: string, params: { field: string; fftLength?: number; frameLength: number }): number {
  const length = fftLengthOf(params)
  if (length < params.frameLength || 2 ** Math.round(Math.log2(length)) !== length) {
    throw wrongShape(
      op,
      params.field,
      `fftLength ${length} is no power of two of at least frameLength ${params.frameLength}`,
    )
  }
  return length
}
