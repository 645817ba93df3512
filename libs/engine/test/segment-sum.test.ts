import { createRequire } from 'node:module'
import { beforeAll, expect, it } from 'vitest'
import { loadEngine } from '../src/index.js'

const tf = createRequire(import.meta.url)('@tensorflow/tfjs') as typeof import('@tensorflow/tfjs')
const notices: string[] = []
beforeAll(async () => {
  await loadEngine({ use: 'wasm', notice: (line) => notices.push(line) })
})

it('sums by segment as TensorFlow does, and leaves out segments that there are not', () => {
  const sums = tf.tidy(() =>
    tf
      .unsortedSegmentSum(
        tf.tensor2d([
          [1, 2],
          [10, 20],
          [100, 200],
          [1000, 2000],
          [5, 5],
        ]),
        tf.tensor1d([2, 0, 2, -1, 3], 'int32'),
        3,
      )
      .arraySync(),
  )
  // tf.math.unsorted_segment_sum of the same arguments.
  expect(sums).toEqual([
    [10, 20],
    [0, 0],
    [101, 202],
  ])
})

it('is the gradient of an embedding of thousands of words, in one pass', () => {
  const words = 8192
  const gradient = tf.tidy(() => {
    const ids = tf.tensor2d([[7, 8191, 7]], [1, 3], 'int32')
    const table = tf.variable(tf.zeros<2>([words, 4]))
    const { grads } = tf.variableGrads(() => tf.gather(table, ids).sum())
    const rows = tf.sum(grads[table.name] as import('@tensorflow/tfjs').Tensor, 1).dataSync()
    table.dispose()
    return rows
  })
  expect([gradient[7], gradient[8], gradient[8191]]).toEqual([8, 0, 4])
  expect(gradient.reduce((sum, one) => sum + one)).toBe(12)
  expect(notices.join('\n')).not.toContain('UnsortedSegmentSum')
})
