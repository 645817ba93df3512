export interface Framing {
  readonly frameLength: number
  readonly frameStep: number
  readonly padEnd?: boolean
}

/** Frames of a signal of so many samples, as `tf.signal.frame`. */
export function frameCount(samples: number, { frameLength, frameStep, padEnd = false }: Framing): number {
  if (padEnd) return Math.ceil(samples / frameStep)
  return Math.max(0, 1 + Math.floor((samples - frameLength) / frameStep))
}

/** Weights of a frame's samples: the periodic windows of tf.signal, which for odd lengths are symmetric. */
export function windowOf(kind: 'hann' | 'hamming' | 'none', length: number): Float64Array {
  const weights = new Float64Array(length).fill(1)
  if (kind === 'none' || length === 1) return weights
  const [a, b] = kind === 'hann' ? [0.5, 0.5] : [0.54, 0.46]
  const period = length % 2 === 0 ? length : length - 1
  return weights.map((_, at) => a - b * Math.cos((2 * Math.PI * at) / period))
}
