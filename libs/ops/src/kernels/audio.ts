import type { RecordFields, Tensor } from '@stoker/formats'
import { frameCount } from '../audio/frames.js'
import { createMfcc, melBands, toMel } from '../audio/mel.js'
import { createSpectrum } from '../audio/spectrum.js'
import { readWav } from '../audio/wav.js'
import { bytesOf, tensorOf, withField, wrongField } from '../fields.js'
import type { KernelOf } from '../kernel.js'

export const decodeWav: KernelOf<'decodeWav'> =
  ({ field, desiredChannels = -1, desiredSamples = -1, sampleRateField }) =>
  (record) => {
    const { sampleRate, channels, samples } = readWav(bytesOf(record, 'decodeWav', field))
    const stored = samples.length / channels
    const shape = [desiredSamples > 0 ? desiredSamples : stored, desiredChannels > 0 ? desiredChannels : channels]
    const audio: Tensor = { dtype: 'float32', shape, data: fitted(samples, channels, shape[0] ?? 0, shape[1] ?? 0) }
    const decoded = withField(record, field, audio)
    if (sampleRateField === undefined) return decoded
    return withField(decoded, sampleRateField, { dtype: 'int32', shape: [], data: Int32Array.of(sampleRate) })
  }

/** Missing channels are copies of the last one, missing samples are 0, as in TensorFlow. */
function fitted(samples: Float32Array, channels: number, rows: number, columns: number): Float32Array {
  if (columns === channels && rows * columns === samples.length) return samples
  const out = new Float32Array(rows * columns)
  const held = Math.min(rows, samples.length / channels)
  for (let row = 0; row < held; row++) {
    for (let column = 0; column < columns; column++) {
      out[row * columns + column] = samples[row * channels + Math.min(column, channels - 1)] as number
    }
  }
  return out
}

/** One channel of samples. */
function signalOf(record: RecordFields, op: string, field: string): Float32Array | Float64Array {
  const tensor = tensorOf(record, op, field)
  const { data, shape } = tensor
  if (shape.length === 1 && (data instanceof Float32Array || data instanceof Float64Array)) return data
  throw wrongField(op, field, 'one channel of floats [samples]', tensor)
}

export const frames: KernelOf<'frames'> =
  ({ field, padValue = 0, ...framing }) =>
  (record) => {
    const signal = signalOf(record, 'frames', field)
    const { frameLength, frameStep } = framing
    const count = frameCount(signal.length, framing)
    const out =
      signal instanceof Float32Array ? new Float32Array(count * frameLength) : new Float64Array(count * frameLength)
    if (padValue !== 0) out.fill(padValue)
    for (let at = 0; at < count; at++) {
      out.set(signal.subarray(at * frameStep, at * frameStep + frameLength), at * frameLength)
    }
    const dtype = signal instanceof Float32Array ? 'float32' : 'float64'
    return withField(record, field, { dtype, shape: [count, frameLength], data: out })
  }

export const spectrogram: KernelOf<'spectrogram'> = ({ field, ...options }) => {
  const spectrum = createSpectrum(options)
  return (record) => {
    const data = Float32Array.from(spectrum.of(signalOf(record, 'spectrogram', field)))
    return withField(record, field, { dtype: 'float32', shape: [data.length / spectrum.bins, spectrum.bins], data })
  }
}

export const melSpectrogram: KernelOf<'melSpectrogram'> = ({ field, log = false, logOffset = 1e-6, ...options }) => {
  const spectrum = createSpectrum(options)
  const bands = melBands(spectrum.bins, options)
  return (record) => {
    const mel = toMel(spectrum.of(signalOf(record, 'melSpectrogram', field)), spectrum.bins, bands)
    const data = Float32Array.from(mel, (value) => (log ? Math.log(value + logOffset) : value))
    return withField(record, field, { dtype: 'float32', shape: [data.length / bands.length, bands.length], data })
  }
}

export const mfcc: KernelOf<'mfcc'> = ({ field, numCoefficients }) => {
  let made: { readonly bins: number; readonly count: number; readonly run: ReturnType<typeof createMfcc> } | undefined
  return (record) => {
    const tensor = tensorOf(record, 'mfcc', field)
    const [rows = 0, bins = 0] = tensor.shape
    const count = numCoefficients ?? bins
    if (tensor.shape.length !== 2 || count > bins) {
      throw wrongField('mfcc', field, `a log mel spectrogram [frames,${count} or more]`, tensor)
    }
    if (made?.bins !== bins || made.count !== count) made = { bins, count, run: createMfcc(bins, count) }
    const data = made.run(tensor.data as Float32Array)
    return withField(record, field, { dtype: 'float32', shape: [rows, count], data })
  }
}
