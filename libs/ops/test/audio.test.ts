import type { RecordFields, Tensor } from '@stoker/formats'
import { opDeclaration, type Stage } from '@stoker/spec'
import { describe, expect, it } from 'vitest'
import { readWav } from '../src/audio/wav.js'
import { compileStages } from '../src/compile.js'
import { failureOf, golden } from './support.js'

interface Floats {
  shape: number[]
  data: string
}
interface WavCase {
  name: string
  wav: string
  desiredChannels: number
  desiredSamples: number
  rate?: number
  shape?: number[]
  audio?: string
  error?: string
}
interface Framed extends Floats {
  frameLength: number
  frameStep: number
  padEnd: boolean
}
interface Signals {
  wave: Floats
  frames: Framed[]
  spectra: (Framed & { samples: number; fftLength: number | null; window: 'hann' | 'hamming' | 'none' })[]
  mels: {
    sampleRate: number
    fftLength: number
    numMelBins: number
    lowerEdgeHertz: number
    upperEdgeHertz: number
    logMel: Floats
    mfcc: Floats
  }[]
}
const bytes = (base64: string): Uint8Array => new Uint8Array(Buffer.from(base64, 'base64'))
const floatsOf = (base64: string): Float32Array => new Float32Array(bytes(base64).buffer)
const run = (stages: Stage[], record: RecordFields) => compileStages(stages)(record, { key: 0 }) as RecordFields

/** Largest difference, as a share of the largest value. */
function difference(found: ArrayLike<number>, wanted: Float32Array): number {
  expect(found.length).toBe(wanted.length)
  const most = wanted.reduce((held, value) => Math.max(held, Math.abs(value)), 0)
  return wanted.reduce((held, value, at) => Math.max(held, Math.abs(value - found[at]!)), 0) / (most || 1)
}

describe('decodeWav', () => {
  const cases = golden<WavCase[]>('wav.json')
  it.each(cases.filter(({ error }) => !error))(
    'reads $name as $desiredChannels channels of $desiredSamples samples like TensorFlow',
    ({ wav, desiredChannels, desiredSamples, rate, shape, audio }) => {
      const record: RecordFields = { a: { dtype: 'string', shape: [], data: bytes(wav) } }
      const stage = { op: 'decodeWav', field: 'a', desiredChannels, desiredSamples, sampleRateField: 'rate' } as const
      const made = run([stage], record)
      expect(made.a).toEqual({ dtype: 'float32', shape, data: floatsOf(audio!) })
      expect(made.rate).toEqual({ dtype: 'int32', shape: [], data: Int32Array.of(rate!) })
    },
  )

  it('drops a sample that is cut in half at the end, which TensorFlow trips over', () => {
    const half = cases.find(({ name }) => name === 'half-sample')!
    const whole = cases.find(({ name }) => name === 'mono')!
    expect(half.error).toContain('Data too short')
    expect(readWav(bytes(half.wav)).samples).toEqual(readWav(bytes(whole.wav)).samples)
  })

  const wav = (tag: number, bits: number, data: Buffer, extra = Buffer.alloc(0)): Buffer => {
    const fmt = Buffer.alloc(16)
    fmt.writeUInt16LE(tag, 0)
    fmt.writeUInt16LE(1, 2)
    fmt.writeUInt32LE(8000, 4)
    fmt.writeUInt32LE((8000 * bits) / 8, 8)
    fmt.writeUInt16LE(bits / 8, 12)
    fmt.writeUInt16LE(bits, 14)
    const chunk = (id: string, body: Buffer) => {
      const size = Buffer.alloc(4)
      size.writeUInt32LE(body.length)
      return Buffer.concat([Buffer.from(id), size, body, Buffer.alloc(body.length % 2)])
    }
    return chunk(
      'RIFF',
      Buffer.concat([Buffer.from('WAVE'), chunk('fmt ', Buffer.concat([fmt, extra])), chunk('data', data)]),
    )
  }

  it('reads 8, 24 and 32 bit samples, floats, and formats of the extensible kind', () => {
    const float32 = Buffer.from(Float32Array.of(0.25, -1.5).buffer)
    const float64 = Buffer.from(Float64Array.of(0.25, -1.5).buffer)
    const subformat = Buffer.alloc(24)
    subformat.writeUInt16LE(22, 0)
    subformat.writeUInt16LE(1, 8)
    const samples = (...args: Parameters<typeof wav>) => [...readWav(wav(...args)).samples]
    expect(samples(1, 8, Buffer.of(0, 128, 255))).toEqual([-1, 0, 127 / 128])
    expect(samples(1, 24, Buffer.of(0, 0, 0x80, 1, 0, 0, 0xff, 0xff, 0x7f))).toEqual([-1, 2 ** -23, 1 - 2 ** -23])
    expect(samples(1, 32, Buffer.of(0, 0, 0, 0x80, 0, 0, 0, 0x40))).toEqual([-1, 0.5])
    expect(samples(3, 32, float32)).toEqual([0.25, -1.5])
    expect(samples(3, 64, float64)).toEqual([0.25, -1.5])
    expect(samples(0xfffe, 16, Buffer.of(0, 0x40), subformat)).toEqual([0.5])
  })

  it('takes the rest of a stream whose writer did not know its length', () => {
    const stream = wav(1, 16, Buffer.of(0, 0x40, 0, 0x20))
    stream.writeUInt32LE(0xffff_ffff, stream.length - 8)
    expect([...readWav(stream).samples]).toEqual([0.5, 0.25])
  })

  it('says what is wrong with other data', async () => {
    const good = wav(1, 16, Buffer.alloc(20))
    const failure = (data: Uint8Array) => failureOf(() => readWav(data))
    expect(await failure(Buffer.from('ID3 mp3'))).toMatchObject({ code: 'STK_WAV_CORRUPT' })
    expect((await failure(good.subarray(0, -4))).message).toContain('chunk "data" says 20 bytes, 16 are left')
    expect((await failure(good.subarray(0, 36))).message).toContain('no "data" chunk')
    expect((await failure(wav(17, 4, Buffer.alloc(4)))).message).toContain('format 17 with 4 bits')
    const record: RecordFields = { a: { dtype: 'string', shape: [], data: good.subarray(0, 30) } }
    expect(await failureOf(() => run([{ op: 'decodeWav', field: 'a' }], record))).toMatchObject({
      code: 'STK_WAV_CORRUPT',
      place: { op: 'decodeWav', field: 'a' },
    })
  })
})

describe('as tf.signal', () => {
  const { wave, frames, spectra, mels } = golden<Signals>('signal.json')
  const samples = floatsOf(wave.data)
  const signal = (length = samples.length): RecordFields => ({
    s: { dtype: 'float32', shape: [length], data: samples.slice(0, length) },
  })

  it.each(frames)(
    'frames of $frameLength each $frameStep, padded: $padEnd',
    ({ frameLength, frameStep, padEnd, shape, data }) => {
      const stage = { op: 'frames', field: 's', frameLength, frameStep, padEnd, padValue: 0.5 } as const
      expect(run([stage], signal()).s).toEqual({ dtype: 'float32', shape, data: floatsOf(data) })
      expect(
        opDeclaration('frames')!.infer({ s: { dtype: 'float32', shape: [700] } }, stage as never).s!.shape,
      ).toEqual(shape)
    },
  )

  it.each(spectra)('spectrogram: $frameLength each $frameStep, FFT $fftLength, $window', (wanted) => {
    const { frameLength, frameStep, padEnd, window, fftLength } = wanted
    const stage = {
      op: 'spectrogram',
      field: 's',
      frameLength,
      frameStep,
      padEnd,
      window,
      ...(fftLength ? { fftLength } : {}),
    } as const
    const length = Math.min(wanted.samples, samples.length)
    const made = run([stage], signal(length)).s as Tensor
    expect(made.shape).toEqual(wanted.shape)
    expect(difference(made.data as Float32Array, floatsOf(wanted.data))).toBeLessThan(1e-5)
    const declared = opDeclaration('spectrogram')!.infer({ s: { dtype: 'float32', shape: [length] } }, stage as never)
    expect(declared.s!.shape).toEqual(wanted.shape)
  })

  it.each(mels)('log mel spectrogram and MFCC of $numMelBins bins at $sampleRate Hz', ({ logMel, mfcc, ...params }) => {
    const framing = { frameLength: params.fftLength / 2, frameStep: params.fftLength / 4 }
    const stage = { op: 'melSpectrogram', field: 's', ...framing, ...params, power: 2, log: true } as const
    const made = run([stage], signal()).s as Tensor
    expect(made.shape).toEqual(logMel.shape)
    // A logarithm near 1e-6 magnifies TensorFlow's own rounding.
    expect(difference(made.data as Float32Array, floatsOf(logMel.data))).toBeLessThan(1e-4)
    const coefficients = run([stage, { op: 'mfcc', field: 's', numCoefficients: 13 }], signal()).s as Tensor
    expect(coefficients.shape).toEqual(mfcc.shape)
    expect(difference(coefficients.data as Float32Array, floatsOf(mfcc.data))).toBeLessThan(1e-4)
  })

  it('refuses lengths that cannot be transformed', () => {
    const infer = (params: object) =>
      opDeclaration('spectrogram')!.infer({ s: { dtype: 'float32', shape: [null] } }, {
        field: 's',
        ...params,
      } as never)
    expect(infer({ frameLength: 100, frameStep: 50 }).s).toEqual({ dtype: 'float32', shape: [null, 65] })
    expect(() => infer({ frameLength: 100, frameStep: 50, fftLength: 100 })).toThrow('no power of two')
    expect(() => infer({ frameLength: 100, frameStep: 50, fftLength: 64 })).toThrow('at least frameLength 100')
  })
})
