import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeExample, type FormatContext, writeTfrecord } from '@stoker/formats'
import { AUTOTUNE, concatenate, fixedLen, pipeline, range, sampleFrom, tfrecord, zip } from '@stoker/spec'
import { createStore } from '@stoker/storage'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBatchMaker } from '../src/index.js'
import { batchesOf, countsOf, planOf, valuesOf } from './support.js'

let folder: string
let context: FormatContext

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoker-datasets-'))
  context = { store: createStore({ fileRoots: [folder] }), scratch: `file://${folder}/scratch` }
})
afterEach(async () => {
  await context.store.close()
  await rm(folder, { recursive: true, force: true })
})

const golden = <Case>(name: string): Case =>
  JSON.parse(readFileSync(new URL(`../../../test/fixtures/golden/${name}`, import.meta.url), 'utf8')) as Case

const run = async (document: object, epoch = 0) =>
  (await batchesOf(await planOf(document, context), context, epoch)).map(valuesOf)

test('chains of take, skip, shard, repeat, filter, concatenate and zip give the batches that tf.data gives', async () => {
  const cases = golden<{ pipeline: object; batches: Record<string, number[]>[] }[]>('datasets.json')
  expect(cases.length).toBeGreaterThan(100)
  for (const { pipeline: spec, batches } of cases) {
    const made = await run({ pipeline: spec })
    const values = made.map((batch) =>
      Object.fromEntries(Object.entries(batch).map(([name, one]) => [name, one.values])),
    )
    expect(values, JSON.stringify(spec)).toEqual(batches)
  }
})

/** A shard of vectors [3], and one of single numbers. */
async function writeVectors(name: string, rows: number[][]): Promise<void> {
  const records = rows.map((row) => encodeExample({ x: { int64: row }, id: { int64: row.slice(0, 1) } }))
  await writeFile(join(folder, name), writeTfrecord(records))
}

test('unbatch counts the rows when shards are indexed, and shuffles, batches and resumes over them', async () => {
  await writeVectors('a.tfrecord', [
    [1, 2, 3],
    [4, 5, 6],
  ])
  await writeVectors('b.tfrecord', [[7, 8, 9]])
  const chain = pipeline(tfrecord('file:*.tfrecord'))
    .parseExample({ x: fixedLen('int64', [3]) })
    .unbatch()
  const plain = await run({ pipeline: chain.batch(4) })
  expect(plain.map(({ x }) => x!.values)).toEqual([[1, 2, 3, 4], [5, 6, 7, 8], [9]])
  const shuffled = await run({ pipeline: chain.shuffle('global', { seed: 3 }).batch(4) })
  expect(shuffled.flatMap(({ x }) => x!.values).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  const kept = await run({ pipeline: chain.filter('x', { notIn: [2, 8] }).batch(9) })
  expect(kept.map(({ x }) => x!.values)).toEqual([[1, 3, 4, 5, 6, 7, 9]])
})

test('what filter keeps is counted once and read again from scratch', async () => {
  await writeVectors(
    'a.tfrecord',
    Array.from({ length: 700 }, (_, id) => [id, 0, 0]),
  )
  const chain = pipeline(tfrecord('file:*.tfrecord'))
    .parseExample({ id: fixedLen('int64') })
    .filter('id', { atLeast: 650 })
  const plan = await planOf({ pipeline: chain.batch(8) }, context)
  expect(await countsOf(plan, context)).toEqual([50])
  const files = await context.store.walk(`${context.scratch}/select`)
  expect(files.map(({ size }) => size)).toEqual([2800])
  expect((await run({ pipeline: chain.batch(8) })).at(-1)?.id?.values).toEqual([698, 699])
})

test('a record that filter cannot judge is named with its shard, number and offset', async () => {
  await writeVectors('a.tfrecord', [[1], [2]])
  const other = writeTfrecord([encodeExample({ y: { int64: [1] } })])
  await writeFile(join(folder, 'b.tfrecord'), other)
  const chain = pipeline(tfrecord('file:*.tfrecord'))
    .parseExample({ id: fixedLen('int64') })
    .filter('id', { atLeast: 0 })
  const plan = await planOf({ pipeline: chain.batch(8) }, context)
  await expect(batchesOf(plan, context)).rejects.toMatchObject({
    place: { shard: expect.stringContaining('b.tfrecord'), record: 0, offset: 0, op: 'parseExample' },
  })
})

test('sampling by weight keeps the order of each input, uses every record, and is the same for any maker', async () => {
  const source = sampleFrom([range(0, 300), range(1000, 1100)], { weights: [3, 1], seed: 5 })
  const spec = { pipeline: pipeline(source).batch(50), epochs: 2 }
  const values = (await run(spec)).flatMap(({ value }) => value!.values)
  const [small, large] = [values.filter((value) => value < 1000), values.filter((value) => value >= 1000)]
  expect(small).toEqual(Array.from({ length: 300 }, (_, index) => index))
  expect(large).toEqual(Array.from({ length: 100 }, (_, index) => 1000 + index))
  // Of any 100 in a row, about 25 come from the second input; they are not one after the other.
  const share = values.slice(0, 100).filter((value) => value >= 1000).length
  expect(share).toBeGreaterThan(10)
  expect(share).toBeLessThan(40)
  const second = (await run(spec, 1)).flatMap(({ value }) => value!.values)
  expect(second).not.toEqual(values)
  const plan = await planOf(spec, context)
  const maker = createBatchMaker({ job: 'test', plan, context }, await countsOf(plan, context))
  for await (const { bytes } of maker.make(0, 5, 1))
    expect(valuesOf(bytes).value!.values).toEqual(values.slice(250, 300))
})

test('sampling stops at the first input that is empty when it is asked to, and an endless input never is', async () => {
  const endless = pipeline(range(3)).repeat()
  const until = sampleFrom([endless, range(100, 140)], { weights: [1, 1], stopOnEmpty: true })
  const values = (await run({ pipeline: pipeline(until).batch(500) }))[0]!.value!.values
  expect(values.filter((value) => value >= 100).length).toBe(40)
  const repeated = values.filter((value) => value < 100)
  expect(repeated).toEqual(repeated.map((_, index) => index % 3))
  const cut = pipeline(sampleFrom([endless, pipeline(range(100, 102)).repeat()])).take(10)
  expect((await run({ pipeline: cut.batch(10) }))[0]!.value!.values.length).toBe(10)
})

test('records of a zip come from shards of each input, whatever order each has', async () => {
  await writeVectors(
    'a.tfrecord',
    Array.from({ length: 20 }, (_, id) => [id, 0, 0]),
  )
  const left = pipeline(tfrecord('file:a.tfrecord'))
    .parseExample({ id: fixedLen('int64') })
    .cast('id', 'int32')
  const right = pipeline(range(100, 200)).skip(5)
  const [batch] = await run({ pipeline: pipeline(zip(left, right)).batch(32).prefetch(AUTOTUNE) })
  expect(batch!.id!.values).toEqual(Array.from({ length: 20 }, (_, id) => id))
  expect(batch!.value!.values).toEqual(Array.from({ length: 20 }, (_, id) => 105 + id))
  const shuffled = pipeline(zip(left.shuffle(8, { seed: 1 }), right))
    .shuffle(10, { seed: 2 })
    .batch(32)
  const [mixed] = await run({ pipeline: shuffled })
  expect([...mixed!.id!.values].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, id) => id))
  expect([...mixed!.value!.values].sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, id) => 105 + id))
})

test('stages of an input run on its records alone', async () => {
  const doubled = pipeline(range(3)).cast('value', 'float32').scale('value', 2)
  const plain = pipeline(range(10, 12)).cast('value', 'float32')
  const [batch] = await run({ pipeline: pipeline(concatenate(doubled, plain)).batch(9) })
  expect(batch!.value!.values).toEqual([0, 2, 4, 10, 11])
})
