import { readFileSync } from 'node:fs'
import { decodeBatch, typedView } from '@stoker/buffer'
import type { RecordFields } from '@stoker/formats'
import type { Plan } from '@stoker/plan'
import { expect, test } from 'vitest'
import { encodeFields, stackFields } from '../src/stack-fields.js'

interface PaddedCase {
  readonly rows: number[][]
  readonly size: number
  readonly dropRemainder: boolean
  readonly shape: number | null
  readonly fill: number
  readonly batches: number[][][]
}

const path = new URL('../../../test/fixtures/golden/padded.json', import.meta.url)
const cases = JSON.parse(readFileSync(path, 'utf8')) as PaddedCase[]

const planOf = (shape: (number | null)[], fill: number | string, dtype: 'int64' | 'float32' = 'int64') =>
  ({
    wire: { fields: { x: { dtype, shape } }, workerStages: [], batchStages: [], deferred: {} },
    padding: { values: { x: fill } },
  }) as unknown as Plan

const row = (values: number[]): RecordFields => ({
  x: { dtype: 'int64', shape: [values.length], data: BigInt64Array.from(values, BigInt) },
})

test.each(cases)('pads $size rows to $shape with $fill as tf.data.Dataset.padded_batch does', (one) => {
  const { rows, size, dropRemainder, shape, fill, batches } = one
  const plan = planOf([shape], fill)
  const metadata = { job: 'j', epoch: 0, batch: 0, records: size, planHash: 'h' }
  const made: number[][][] = []
  for (let at = 0; at < rows.length; at += size) {
    const some = rows.slice(at, at + size)
    if (dropRemainder && some.length < size) break
    const [tensor] = decodeBatch(encodeFields(stackFields(some.map(row), plan), plan, metadata)).tensors
    const width = tensor!.shape[1] ?? 0
    const values = Array.from(typedView(tensor!) as ArrayLike<number | bigint>, Number)
    made.push(some.map((_, index) => values.slice(index * width, (index + 1) * width)))
  }
  expect(made).toEqual(batches)
})

test('pads in two dimensions, each record in the front corner of its row', () => {
  const image = (height: number, width: number): RecordFields => ({
    x: { dtype: 'float32', shape: [height, width], data: new Float32Array(height * width).fill(1) },
  })
  const { x } = stackFields([image(1, 2), image(2, 1)], planOf([null, null], -1, 'float32'))
  expect(x!.shape).toEqual([2, 2, 2])
  expect([...(x!.data as Float32Array)]).toEqual([1, 1, -1, -1, 1, -1, 1, -1])
})

test('a record longer than the asked shape is refused with field and length', () => {
  expect(() => stackFields([row([1, 2, 3])], planOf([2], 0))).toThrow('field "x" has length 3 along dimension 0')
})

test('records of another rank are refused', () => {
  const scalar: RecordFields = { x: { dtype: 'int64', shape: [], data: BigInt64Array.of(1n) } }
  expect(() => stackFields([row([1]), scalar], planOf([null], 0))).toThrow('first record of the batch')
})
