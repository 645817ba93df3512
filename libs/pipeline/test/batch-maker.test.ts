import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { batchSha256, decodeBatch } from '@stoker/buffer'
import { encodeExample, writeTfrecord } from '@stoker/formats'
import { createOrder, makePlan, type Plan } from '@stoker/plan'
import {
  fixedLen,
  type PipelineBuilder,
  parseJob,
  pipeline,
  type StokerError,
  tfrecord,
  toStokerError,
} from '@stoker/spec'
import { createStore, type ObjectStore } from '@stoker/storage'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBatchMaker } from '../src/index.js'

let folder: string
let store: ObjectStore

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoker-pipeline-'))
  store = createStore({ fileRoots: [folder] })
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

/** Shards of records {id, vector} with 7, 3 and 12 records. */
const COUNTS = [7, 3, 12]
const vectorLength = (id: number, odd: number | undefined) => (id === odd ? 3 : 2)

async function writeShards(oddId?: number): Promise<void> {
  let id = 0
  for (const [shard, count] of COUNTS.entries()) {
    const records = Array.from({ length: count }, () => {
      const vector = new Float32Array(vectorLength(id, oddId)).fill(id)
      return encodeExample({ id: { int64: [id++] }, vector: { float32: vector } })
    })
    await writeFile(join(folder, `part-${shard}.tfrecord`), writeTfrecord(records))
  }
}

async function planOf(chain: PipelineBuilder): Promise<Plan> {
  const checked = parseJob(JSON.parse(JSON.stringify({ pipeline: chain, epochs: 2 })))
  const pins = [await store.list('file:part-*.tfrecord')]
  const knobs = { cycleLengths: [2], windowBatches: 8, taskBatches: 2 }
  return makePlan({ checked, chain: checked.checked, pins, knobs, epochs: checked.epochs, bufferBytes: 1 << 20 })
}

const chain = () =>
  pipeline(tfrecord('file:part-*.tfrecord'))
    .parseExample({ id: fixedLen('int64'), vector: fixedLen('float32', [2]) })
    .cast('id', 'int32')

const makerOf = (plan: Plan) =>
  createBatchMaker({ job: 'test', plan, context: { store, scratch: `file://${folder}/scratch` } }, COUNTS)

async function made(plan: Plan, epoch: number, first: number, count: number): Promise<Uint8Array[]> {
  const batches: Uint8Array[] = []
  for await (const { bytes } of makerOf(plan).make(epoch, first, count)) batches.push(bytes)
  return batches
}

function idsOf(bytes: Uint8Array): number[] {
  const tensor = decodeBatch(bytes).tensors.find(({ name }) => name === 'id')
  if (!tensor) throw new Error('no id')
  return [...new Int32Array(tensor.data.slice().buffer)]
}

async function failure(work: Promise<unknown>): Promise<StokerError> {
  try {
    await work
  } catch (error) {
    return toStokerError(error)
  }
  throw new Error('did not fail')
}

test('stacks the records that the plan names, in its order', async () => {
  await writeShards()
  const plan = await planOf(chain().shuffle(6).batch(5))
  const starts = [0, 7, 10]
  const order = createOrder(plan.order, COUNTS)
  for (const epoch of [0, 1]) {
    const batches = await made(plan, epoch, 0, 5)
    const wanted = batches.map((_, batch) =>
      order.batch(epoch, batch).map(({ shard, record }) => (starts[shard] ?? 0) + record),
    )
    expect(batches.map(idsOf)).toEqual(wanted)
  }
})

test('a batch says its shapes, its place and what is left to the consumer', async () => {
  await writeShards()
  const [last] = await made(await planOf(chain().batch(5)), 0, 4, 1)
  const { tensors, metadata } = decodeBatch(last ?? new Uint8Array())
  expect(tensors.map(({ name, dtype, shape }) => ({ name, dtype, shape }))).toEqual([
    { name: 'id', dtype: 'int32', shape: [2] },
    { name: 'vector', dtype: 'float32', shape: [2, 2] },
  ])
  expect(metadata).toMatchObject({ job: 'test', epoch: 0, batch: 4, records: 2, deferred: '{}' })
})

test('a batch has the same bytes made alone, in a run, and by another maker', async () => {
  await writeShards()
  const plan = await planOf(chain().shuffle(6).batch(4))
  const run = await made(plan, 1, 0, 6)
  for (const [batch, bytes] of run.entries()) {
    const [alone] = await made(plan, 1, batch, 1)
    expect(Buffer.compare(alone ?? new Uint8Array(), bytes)).toBe(0)
  }
  expect(new Set(run.map((bytes) => batchSha256(bytes))).size).toBe(6)
})

test('a record of another shape is named with shard, record and offset', async () => {
  await writeShards(9)
  const plan = await planOf(
    pipeline(tfrecord('file:part-*.tfrecord'))
      .parseExample({ id: fixedLen('int64'), vector: fixedLen('float32', [2]) })
      .batch(5),
  )
  const error = await failure(made(plan, 0, 0, 5))
  expect(error.code).toBe('STK_EXAMPLE_COUNT')
  expect(error.place).toMatchObject({
    shard: `file://${folder}/part-1.tfrecord`,
    record: 2,
    epoch: 0,
    batch: 1,
    op: 'parseExample',
  })
  expect(error.place?.offset).toBeGreaterThan(0)
})

test('a damaged record is named, and batches before it are made all the same', async () => {
  await writeShards()
  const plan = await planOf(chain().batch(5))
  const path = join(folder, 'part-2.tfrecord')
  const bytes = await readFile(path)
  const at = Math.floor(bytes.length / 2)
  bytes[at] = (bytes[at] ?? 0) ^ 0xff
  await writeFile(path, bytes)
  const damaged = await planOf(chain().batch(5))
  expect(plan.planHash).not.toBe(damaged.planHash)
  expect((await made(damaged, 0, 0, 2)).length).toBe(2)
  const error = await failure(made(damaged, 0, 0, 5))
  expect(error.code).toMatch(/^STK_TFRECORD_/)
  expect(error.place).toMatchObject({ shard: `file://${path}` })
})

test('a shard that changed since it was pinned is refused', async () => {
  await writeShards()
  const plan = await planOf(chain().batch(5))
  await writeFile(
    join(folder, 'part-0.tfrecord'),
    writeTfrecord([encodeExample({ id: { int64: [1] }, vector: { float32: [1, 2] } })]),
  )
  expect((await failure(made(plan, 0, 0, 1))).code).toBe('STK_STORAGE_CHANGED')
})

test('an aborted run stops with the reason', async () => {
  await writeShards()
  const control = new AbortController()
  const maker = makerOf(await planOf(chain().batch(5)))
  const run = (async () => {
    for await (const { batch } of maker.make(0, 0, 5, control.signal))
      if (batch === 1) control.abort(new Error('enough'))
  })()
  await expect(run).rejects.toThrow('enough')
})
