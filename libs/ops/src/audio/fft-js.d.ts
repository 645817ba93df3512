declare module 'fft.js' {
  /** Of a power of two above 1. */
  export default class FFT {
    constructor(size: number)
    createComplexArray(): number[]
    /** Fills the first half of `out`, as real and imaginary parts in turn. */
    realTransform(out: number[], data: ArrayLike<number>): void
  }
}
