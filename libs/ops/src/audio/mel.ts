export interface MelOptions {
  readonly numMelBins?: number
  readonly sampleRate: number
  readonly lowerEdgeHertz?: number
  readonly upperEdgeHertz?: number
}

/** Band b of the mel scale covers the spectrogram bins from `first` on, with a weight for each. */
export interface MelBand {
  readonly first: number
  readonly weights: readonly number[]
}

/** Hertz on the HTK mel scale. */
const melOf = (hertz: number): number => 1127 * Math.log(1 + hertz / 700)

/** The columns of `tf.signal.linear_to_mel_weight_matrix` without their zeros; bin 0 has no weight. */
export function melBands(spectrogramBins: number, options: MelOptions): MelBand[] {
  const { numMelBins = 20, sampleRate, lowerEdgeHertz = 125, upperEdgeHertz = 3800 } = options
  const lowest = melOf(lowerEdgeHertz)
  const step = (melOf(upperEdgeHertz) - lowest) / (numMelBins + 1)
  const bins = Array.from({ length: spectrogramBins }, (_, bin) =>
    melOf(((sampleRate / 2) * bin) / (spectrogramBins - 1)),
  )
  return Array.from({ length: numMelBins }, (_, band) => {
    const lower = lowest + band * step
    const weights = bins.map((mel, bin) => {
      const rising = (mel - lower) / step
      return bin === 0 ? 0 : Math.max(0, Math.min(rising, 2 - rising))
    })
    const first = weights.findIndex((weight) => weight > 0)
    if (first < 0) return { first: 0, weights: [] }
    return { first, weights: weights.slice(first, weights.findLastIndex((weight) => weight > 0) + 1) }
  })
}

/** [frames, bins] times the bands: [frames, bands]. */
export function toMel(spectrum: Float64Array, bins: number, bands: readonly MelBand[]): Float64Array {
  const frames = spectrum.length / bins
  const out = new Float64Array(frames * bands.length)
  for (let frame = 0; frame < frames; frame++) {
    for (const [band, { first, weights }] of bands.entries()) {
      const start = frame * bins + first
      let sum = 0
      for (let at = 0; at < weights.length; at++) sum += (spectrum[start + at] as number) * (weights[at] as number)
      out[frame * bands.length + band] = sum
    }
  }
  return out
}

/** Gives the first `count` of `tf.signal.mfccs_from_log_mel_spectrograms`: [frames, bins] to [frames, count]. */
export function createMfcc(bins: number, count: number): (logMel: ArrayLike<number>) => Float32Array {
  // cosines: [count, bins]
  const cosines = Float64Array.from(
    { length: count * bins },
    (_, at) => Math.cos((Math.PI * Math.floor(at / bins) * (2 * (at % bins) + 1)) / (2 * bins)) * Math.sqrt(2 / bins),
  )
  return (logMel) => {
    const frames = logMel.length / bins
    const out = new Float32Array(frames * count)
    for (let frame = 0; frame < frames; frame++) {
      for (let k = 0; k < count; k++) {
        let sum = 0
        for (let n = 0; n < bins; n++) sum += (logMel[frame * bins + n] as number) * (cosines[k * bins + n] as number)
        out[frame * count + k] = sum
      }
    }
    return out
  }
}
