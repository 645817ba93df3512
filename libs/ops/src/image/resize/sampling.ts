const { exp, fround, sin } = Math

/** Sampling kernels, each with its reach and its weight at a distance of 0 or more, in float32 steps. */
export interface Sampling {
  readonly radius: number
  readonly weight: (distance: number) => number
}

const PI = fround(Math.PI)

/** Source of all: tensorflow/core/kernels/image/sampling_kernels.h. */
export const SAMPLING = {
  triangle: { radius: 1, weight: (x) => (x < 1 ? fround(1 - x) : 0) },
  keyscubic: {
    radius: 2,
    weight: (x) => {
      if (x >= 2) return 0
      if (x >= 1) return cubic(x, -0.5, 2.5, -4, 2)
      return cubic(x, 1.5, -2.5, 0, 1)
    },
  },
  mitchellcubic: {
    radius: 2,
    weight: (x) => {
      if (x >= 2) return 0
      if (x >= 1) return cubic(x, fround(-7 / 18), 2, fround(-10 / 3), fround(16 / 9))
      return cubic(x, fround(7 / 6), -2, 0, fround(8 / 9))
    },
  },
  gaussian: {
    radius: 1.5,
    weight: (x) => (x >= 1.5 ? 0 : exp(fround(-x * x) / 0.5)),
  },
  lanczos3: lanczos(3),
  lanczos5: lanczos(5),
} as const satisfies Record<string, Sampling>

export type SamplingKernel = keyof typeof SAMPLING

/** ((a x + b) x + c) x + d. */
function cubic(x: number, a: number, b: number, c: number, d: number): number {
  return fround(fround(fround(fround(fround(fround(a * x) + b) * x) + c) * x) + d)
}

function lanczos(radius: number): Sampling {
  const weight = (x: number): number => {
    if (x > radius) return 0
    if (x <= fround(1e-3)) return 1
    const angle = fround(PI * x)
    const over = fround(fround(radius * fround(sin(angle))) * fround(sin(fround(angle / radius))))
    return fround(over / fround(fround(fround(PI * PI) * x) * x))
  }
  return { radius, weight }
}
