import { keyOf } from '@stoker/plan'

/**
 * Numbers that one op draws for one record (or batch): the n-th is a function of the record's key, the op's own seed and
 * n, so nothing depends on who draws, when, or how often. See docs/decisions/009-random-draws-by-record.md.
 */
export interface Draws {
  /** In [0, 1), a multiple of 2^-32. */
  uniform(): number
  /** In [least, most). */
  between(least: number, most: number): number
  /** A whole number in [0, count). */
  below(count: number): number
  /** From the standard normal law. */
  normal(): number
  /** From Beta(alpha, alpha), in [0, 1]. */
  beta(alpha: number): number
}

export function drawsOf(key: number, seed?: number): Draws {
  const own = seed === undefined ? key : keyOf(key, seed)
  let n = 0
  const uniform = () => keyOf(own, n++) / 2 ** 32
  const between = (least: number, most: number) => least + (most - least) * uniform()
  // Box and Muller (1958); 1 - u lies in (0, 1], where the logarithm is finite.
  const normal = () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  return {
    uniform,
    between,
    below: (count) => Math.floor(uniform() * count),
    normal,
    beta: (alpha) => {
      const first = logGamma(alpha, uniform, normal)
      return 1 / (1 + Math.exp(logGamma(alpha, uniform, normal) - first))
    },
  }
}

/**
 * Logarithm of a draw from Gamma(shape, 1), which for small shapes is too small for a double itself. By rejection from
 * a cubed normal (Marsaglia and Tsang, "A simple method for generating gamma variables", 2000); shapes below 1 are
 * drawn as Gamma(shape + 1) times U^(1/shape).
 */
function logGamma(shape: number, uniform: () => number, normal: () => number): number {
  if (shape < 1) {
    const boosted = logGamma(shape + 1, uniform, normal)
    return boosted + Math.log(1 - uniform()) / shape
  }
  const d = shape - 1 / 3
  const c = 1 / Math.sqrt(9 * d)
  for (;;) {
    const x = normal()
    const v = (1 + c * x) ** 3
    if (v > 0 && Math.log(1 - uniform()) < x ** 2 / 2 + d - d * v + d * Math.log(v)) return Math.log(d * v)
  }
}
