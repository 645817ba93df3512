import FFT from 'fft.js'
import { type Framing, frameCount, windowOf } from './frames.js'

export interface SpectrumOptions extends Framing {
  /** A power of two, at least `frameLength`; by default the next one. */
  readonly fftLength?: number
  readonly window?: 'hann' | 'hamming' | 'none'
  readonly power?: 1 | 2
}

export interface Spectrum {
  readonly fftLength: number
  /** fftLength / 2 + 1 */
  readonly bins: number
  /** [frames, bins] of a signal, in double precision. */
  of(signal: ArrayLike<number>): Float64Array
}

/** Magnitudes of the short-time Fourier transform, as `tf.abs(tf.signal.stft(...))`, or their squares. */
export function createSpectrum(options: SpectrumOptions): Spectrum {
  const { frameLength, frameStep, window = 'hann', power = 1 } = options
  const fftLength = options.fftLength ?? Math.max(2, 2 ** Math.ceil(Math.log2(frameLength)))
  const bins = fftLength / 2 + 1
  const fft = new FFT(fftLength)
  const weights = windowOf(window, frameLength)
  const frame = new Float64Array(fftLength)
  const complex = fft.createComplexArray()
  return {
    fftLength,
    bins,
    of: (signal) => {
      const frames = frameCount(signal.length, options)
      const out = new Float64Array(frames * bins)
      for (let at = 0; at < frames; at++) {
        const start = at * frameStep
        for (let n = 0; n < frameLength; n++) frame[n] = (signal[start + n] ?? 0) * (weights[n] as number)
        fft.realTransform(complex, frame)
        for (let bin = 0; bin < bins; bin++) {
          const re = complex[2 * bin] as number
          const im = complex[2 * bin + 1] as number
          const square = re * re + im * im
          out[at * bins + bin] = power === 1 ? Math.sqrt(square) : square
        }
      }
      return out
    },
  }
}
