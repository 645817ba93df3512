import type { Tf } from './tfjs.js'

type TensorInfo = import('@tensorflow/tfjs').TensorInfo

interface Values {
  readSync(dataId: object): ArrayLike<number>
  write(values: Float32Array | Int32Array, shape: number[], dtype: string): object
}

/**
 * Gives WASM the sum by segment, the gradient of an embedding, in one pass over the values. The kernel of the CPU
 * backend goes through all values once for each segment: minutes a step for a vocabulary of some thousand words.
 * As in TensorFlow, values whose segment is negative or too large are left out.
 */
export function registerSegmentSum(tf: Tf): void {
  tf.registerKernel({
    kernelName: 'UnsortedSegmentSum',
    backendName: 'wasm',
    kernelFunc: ({ inputs, attrs, backend }) => {
      const wasm = backend as Values
      // x: [values, ...row], segmentIds: [values], result: [segments, ...row]
      const { x, segmentIds } = inputs as { x: TensorInfo; segmentIds: TensorInfo }
      const segments = Number((attrs as { numSegments: number }).numSegments)
      const rowShape = x.shape.slice(1)
      const row = rowShape.reduce((size, dim) => size * dim, 1)
      const values = wasm.readSync(x.dataId)
      const ids = wasm.readSync(segmentIds.dataId)
      const sums = x.dtype === 'int32' ? new Int32Array(segments * row) : new Float32Array(segments * row)
      for (let at = 0; at < ids.length; at++) {
        const segment = ids[at] ?? -1
        if (segment < 0 || segment >= segments) continue
        for (let i = 0; i < row; i++) {
          const place = segment * row + i
          sums[place] = (sums[place] ?? 0) + (values[at * row + i] ?? 0)
        }
      }
      const shape = [segments, ...rowShape]
      return { shape, dtype: x.dtype, dataId: wasm.write(sums, shape, x.dtype) }
    },
  })
}
