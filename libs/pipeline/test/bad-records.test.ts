import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeExample, type FormatContext, writeTfrecord } from '@stoker/formats'
import { createOrder } from '@stoker/plan'
import { fixedLen, pipeline, tfrecord } from '@stoker/spec'
import { createStore } from '@stoker/storage'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type BadRecord, createBatchMaker } from '../src/index.js'
import { batchesOf, countsOf, planOf, valuesOf } from './support.js'

let folder: string
let context: FormatContext

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoker-bad-records-'))
  context = { store: createStore({ fileRoots: [folder] }), scratch: `file://${folder}/scratch` }
})
afterEach(async () => {
  await context.store.close()
  await rm(folder, { recursive: true, force: true })
})

const run = async (document: object, epoch = 0) =>
  (await batchesOf(await planOf(document, context), context, epoch)).map(valuesOf)

/** Ten images' worth of examples, of which 2 has a damaged payload, 5 lacks the feature, and 7 has another shape. */
async function writeDamaged(name: string): Promise<void> {
  const records = Array.from({ length: 10 }, (_, id) => {
    if (id === 5) return encodeExample({ other: { int64: [1] } })
    return encodeExample({ id: { int64: [id] }, x: { int64: id === 7 ? [1, 2] : [id] } })
  })
  const bytes = writeTfrecord(records)
  const frame = 16 + (records[0]?.length ?? 0)
  const at = 2 * frame + 14
  bytes[at] = (bytes[at] ?? 0) ^ 0xff
  await writeFile(join(folder, name), bytes)
}

const damaged = () =>
  pipeline(tfrecord('file:damaged.tfrecord')).parseExample({ id: fixedLen('int64'), x: fixedLen('int64') })

test('skip leaves bad records out of their batches alone, and says which and why', async () => {
  await writeDamaged('damaged.tfrecord')
  const plan = await planOf({ pipeline: damaged().batch(4), onBadRecord: 'skip' }, context)
  const counts = await countsOf(plan, context)
  expect(counts).toEqual([10])
  const maker = createBatchMaker({ job: 'test', plan, context }, counts)
  const made: number[][] = []
  const bad: string[] = []
  for await (const one of maker.make(0, 0, 3)) {
    made.push(valuesOf(one.bytes).id!.values)
    bad.push(...one.bad.map(({ record, code }) => `${record} ${code}`))
    expect(one.bad.every(({ shard, offset }) => shard.endsWith('damaged.tfrecord') && (offset ?? 0) > 0)).toBe(true)
  }
  expect(made).toEqual([
    [0, 1, 3],
    [4, 6],
    [8, 9],
  ])
  expect(bad).toEqual(['2 STK_TFRECORD_DATA_CRC', '5 STK_EXAMPLE_MISSING', '7 STK_EXAMPLE_COUNT'])
})

test('a record that filter cannot judge is skipped like any other, and a batch without a sound record is empty', async () => {
  await writeDamaged('damaged.tfrecord')
  const kept = {
    pipeline: damaged()
      .filter('id', { in: [2, 5, 8] })
      .batch(2),
    onBadRecord: 'skip',
  }
  // Records 2, 5 and 7 stand for their faults, 8 is kept.
  const batches = await run(kept)
  expect(batches.map(({ id }) => id!.values)).toEqual([[], [8]])
  expect(batches[0]!.id!.shape).toEqual([0])
})

const rowsOf = async (document: object, epoch = 0) => {
  const plan = await planOf(document, context)
  const counts = await countsOf(plan, context)
  const maker = createBatchMaker({ job: 'test', plan, context }, counts)
  const made: number[][] = []
  const bad: BadRecord[] = []
  const batches = createOrder(plan.order, counts).batchesIn(epoch) ?? 0
  for await (const one of maker.make(epoch, 0, batches)) {
    made.push(valuesOf(one.bytes).id!.values)
    bad.push(...one.bad)
  }
  return { made, bad, plan, counts }
}

test('substitute puts sound records in the places of bad ones, always the same, and leaves all other rows as planned', async () => {
  await writeDamaged('damaged.tfrecord')
  const job = { pipeline: damaged().batch(4), onBadRecord: 'substitute', epochs: 2, seed: 3 }
  const { made, bad, plan, counts } = await rowsOf(job)
  expect(
    made.map((batch, b) => batch.map((id, row) => (row + 4 * b in { 2: 1, 5: 1, 7: 1 } ? 'stand-in' : id))),
  ).toEqual([
    [0, 1, 'stand-in', 3],
    [4, 'stand-in', 6, 'stand-in'],
    [8, 9],
  ])
  expect(bad.map(({ record }) => record)).toEqual([2, 5, 7])
  const flat = made.flat()
  for (const { record, standIn } of bad) {
    expect([2, 5, 7]).not.toContain(standIn?.record)
    expect(flat[record]).toBe(standIn?.record)
    expect(standIn?.shard).toMatch(/damaged\.tfrecord$/)
  }
  // Any other maker, starting anywhere, makes the same.
  for (const batch of [2, 1, 0]) {
    for await (const one of createBatchMaker({ job: 'test', plan, context }, counts).make(0, batch, 1))
      expect(valuesOf(one.bytes).id!.values).toEqual(made[batch])
  }
})

test('a stand-in before which there is nothing comes from the batches after it', async () => {
  const records = [encodeExample({}), encodeExample({}), encodeExample({ id: { int64: [7] }, x: { int64: [7] } })]
  await writeFile(join(folder, 'late.tfrecord'), writeTfrecord(records))
  const chain = pipeline(tfrecord('file:late.tfrecord')).parseExample({ id: fixedLen('int64'), x: fixedLen('int64') })
  const { made, bad } = await rowsOf({ pipeline: chain.batch(1), onBadRecord: 'substitute' })
  expect(made).toEqual([[7], [7], [7]])
  expect(bad.map(({ record, standIn }) => [record, standIn?.record])).toEqual([
    [0, 2],
    [1, 2],
  ])
})

test('a job whose records are all bad says so in place of making one up', async () => {
  await writeFile(
    join(folder, 'none.tfrecord'),
    writeTfrecord([encodeExample({}), encodeExample({}), encodeExample({})]),
  )
  const chain = pipeline(tfrecord('file:none.tfrecord')).parseExample({ id: fixedLen('int64'), x: fixedLen('int64') })
  await expect(rowsOf({ pipeline: chain.batch(2), onBadRecord: 'substitute' })).rejects.toMatchObject({
    code: 'STK_BATCH_NO_STAND_IN',
    message: expect.stringContaining('all 2 records'),
    place: { epoch: 0, batch: 0 },
  })
})

test('a record that hides the rest of its shard says how many are gone with it', async () => {
  const records = Array.from({ length: 20 }, (_, id) => encodeExample({ id: { int64: [id] }, x: { int64: [id] } }))
  const bytes = writeTfrecord(records)
  const frame = 16 + (records[0]?.length ?? 0)
  bytes[12 * frame] = (bytes[12 * frame] ?? 0) ^ 0xff
  await writeFile(join(folder, 'torn.tfrecord'), bytes)
  const chain = pipeline(tfrecord('file:torn.tfrecord')).parseExample({ id: fixedLen('int64'), x: fixedLen('int64') })
  const { bad } = await rowsOf({ pipeline: chain.batch(8), onBadRecord: 'skip' })
  expect(bad).toMatchObject([{ record: 12, code: 'STK_TFRECORD_LENGTH_CRC', lost: 7 }])
})
