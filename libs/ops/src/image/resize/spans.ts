import { SAMPLING, type SamplingKernel } from './sampling.js'

const { abs, ceil, floor, fround, max, min } = Math

/** For each output position the first input position it draws on, and `size` weights from there on. */
export interface Spans {
  readonly size: number
  readonly starts: Int32Array
  readonly weights: Float32Array
}

/** Below this a sum of weights counts as none. */
const LEAST_SUM = 1000 * 1.17549435e-38

/**
 * Weights of a sampling kernel along one side. When shrinking with antialias the kernel is stretched with the scale.
 * Source: ComputeSpansCore in tensorflow/core/kernels/image/scale_and_translate_op.cc.
 */
export function spansOf(kernel: SamplingKernel, inSize: number, outSize: number, antialias: boolean): Spans {
  const { radius, weight } = SAMPLING[kernel]
  const inverse = fround(1 / fround(outSize / inSize))
  const stretch = antialias ? max(inverse, 1) : 1
  const reach = fround(radius * stretch)
  const size = min(2 * ceil(reach) + 1, inSize)
  const starts = new Int32Array(outSize)
  const weights = new Float32Array(size * outSize)
  const squeeze = fround(1 / stretch)
  for (let at = 0; at < outSize; at++) {
    const sample = fround(fround(at + 0.5) * inverse)
    if (sample < 0 || sample > inSize) continue
    const start = clamp(ceil(fround(fround(sample - reach) - 0.5)), inSize)
    const end = clamp(floor(fround(fround(sample + reach) - 0.5)), inSize) + 1
    let sum = 0
    for (let source = start; source < end; source++) {
      const value = fround(weight(abs(fround(fround(fround(source + 0.5) - sample) * squeeze))))
      weights[at * size + source - start] = value
      sum = fround(sum + value)
    }
    starts[at] = start
    scale(weights.subarray(at * size, (at + 1) * size), abs(sum) >= LEAST_SUM ? fround(1 / sum) : 0)
  }
  return { size, starts, weights }
}

const clamp = (position: number, inSize: number): number => min(max(position, 0), inSize - 1)

function scale(weights: Float32Array, factor: number): void {
  for (let at = 0; at < weights.length; at++) weights[at] = fround((weights[at] as number) * factor)
}
