import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { interleaveLayout } from '../src/order/interleave-layout.js'

interface Golden {
  readonly counts: number[]
  readonly cycleLength: number
  readonly blockLength: number
  readonly parallel: boolean | number | null
  readonly order: [number, number][]
}

const golden = JSON.parse(
  readFileSync(new URL('../../../test/fixtures/golden/interleave.json', import.meta.url), 'utf8'),
) as Golden[]

test('gives records in the order of tf.data interleave, for every golden of TensorFlow', () => {
  expect(golden.length).toBeGreaterThan(50)
  for (const { counts, cycleLength, blockLength, parallel, order } of golden) {
    const sequence = counts.map((_, index) => index)
    const layout = interleaveLayout(sequence, counts, cycleLength, blockLength)
    const made = Array.from({ length: layout.total ?? -1 }, (_, position) => {
      const { shard, record } = layout.at(position)
      return [shard, record]
    })
    expect(made, JSON.stringify({ counts, cycleLength, blockLength, parallel })).toEqual(order)
  }
})
