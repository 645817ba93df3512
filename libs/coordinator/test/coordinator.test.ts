import { type BatchBuffer, createBatchBuffer } from '@stoker/buffer'
import { createJobStore, type JobState, type JobStore } from '@stoker/jobs'
import { connectRedis, listenWake, openTaskQueue, type TaskQueue } from '@stoker/queue'
import { type RunningServer, startRedis } from '@stoker/services'
import { createStore } from '@stoker/storage'
import type { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Coordinator, planJob, startCoordinator } from '../src/index.js'

let server: RunningServer
let redis: Redis
let jobs: JobStore
let buffer: BatchBuffer
let tasks: TaskQueue
let opened: Redis[]
const running: Coordinator[] = []
const faults: unknown[] = []

beforeEach(async () => {
  server = await startRedis()
  opened = []
  redis = connectRedis(server.url, 'queue')
  const blocking = () => {
    const connection = connectRedis(server.url, 'blocking')
    opened.push(connection)
    return connection
  }
  jobs = createJobStore(redis, blocking)
  buffer = createBatchBuffer({ redis, blocking })
  tasks = openTaskQueue(redis)
  faults.length = 0
})

afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.close()))
  jobs.close()
  buffer.close()
  await tasks.close()
  for (const connection of [redis, ...opened]) connection.disconnect()
  await server.stop()
})

function coordinate(): Coordinator {
  const listen = (listener: Parameters<typeof listenWake>[1]) =>
    listenWake(() => {
      const connection = connectRedis(server.url, 'blocking')
      opened.push(connection)
      return connection
    }, listener)
  const one = startCoordinator({ jobs, buffer, tasks, listen, onError: (_job, error) => faults.push(error) })
  running.push(one)
  return one
}

const id = 'j'.repeat(26)

/** A feed of 40 batches of 5 records an epoch, window 6, tasks of one batch. */
async function submit(
  stages: object[] = [
    { op: 'batch', size: 5 },
    { op: 'prefetch', depth: 6 },
  ],
  stop = 200,
): Promise<void> {
  const document = { pipeline: { source: { type: 'range', stop }, stages }, epochs: 2 }
  const { checked, plan } = await planJob({
    document,
    context: { store: createStore({ fileRoots: [] }), scratch: 'file:///nowhere' },
  })
  await jobs.create({ id, name: 'test', spec: checked.job, specHash: checked.specHash }, plan)
}

/** What an index task would do. */
const count = async (records = 200) => {
  await jobs.setCount(id, 0, records)
  await redis.publish('stoker:wake', id)
}

const liveBatches = async (): Promise<string[]> => {
  const found = await tasks.queues.tasks.getJobs(['waiting', 'prioritized'])
  return found.flatMap(({ data }) => (data.kind === 'batch' ? [`${data.epoch}:${data.firstBatch}`] : [])).sort()
}

async function reached(state: JobState): Promise<void> {
  for await (const { data } of jobs.events(id, { block: 20_000 }))
    if ((data as { state?: JobState }).state === state) return
  throw new Error(`the job did not become ${state}`)
}

test('indexes first, then releases the window and no more', async () => {
  await submit()
  coordinate()
  await reached('indexing')
  await expect.poll(() => tasks.isLive(`${id}.i0`), { timeout: 10_000 }).toBe(true)
  expect(await liveBatches()).toEqual([])
  await count()
  await reached('running')
  await expect.poll(liveBatches, { timeout: 10_000 }).toEqual(['0:0', '0:1', '0:2', '0:3', '0:4', '0:5'])
  expect(faults).toEqual([])
})

test('consumption releases as many batches as it frees', async () => {
  await submit()
  coordinate()
  await count()
  await expect.poll(liveBatches, { timeout: 10_000 }).toHaveLength(6)
  await buffer.setCursor(id, { epoch: 0, batch: 2 })
  await expect.poll(liveBatches, { timeout: 10_000 }).toEqual(expect.arrayContaining(['0:6', '0:7']))
  expect((await liveBatches()).includes('0:8')).toBe(false)
})

test('an obliterated queue is filled again', async () => {
  await submit()
  coordinate()
  await count()
  await expect.poll(liveBatches, { timeout: 10_000 }).toHaveLength(6)
  await tasks.obliterate()
  await expect.poll(liveBatches, { timeout: 15_000 }).toHaveLength(6)
})

test('one coordinator holds a job, and another takes over at once when it closes', async () => {
  await submit()
  const first = coordinate()
  await expect.poll(() => first.held, { timeout: 10_000 }).toEqual([id])
  const second = coordinate()
  await count()
  await reached('running')
  expect(second.held).toEqual([])
  await first.close()
  await expect.poll(() => second.held, { timeout: 5_000 }).toEqual([id])
})

test('a feed without trainer succeeds when its last batch is consumed, and leaves no bytes behind', async () => {
  await submit()
  coordinate()
  await count()
  await reached('running')
  await buffer.put(id, 0, 0, new Uint8Array(100))
  await buffer.setCursor(id, { epoch: 2, batch: 0 })
  await reached('succeeded')
  expect((await jobs.get(id)).result).toEqual({ epochs: 2, batches: 80, records: 400 })
  await expect.poll(() => redis.keys('stoker:*:batch:*'), { timeout: 10_000 }).toEqual([])
  await expect.poll(liveBatches, { timeout: 10_000 }).toEqual([])
})

test('a job that ended while no coordinator was there is cleaned up by the next one', async () => {
  await submit()
  await buffer.put(id, 0, 0, new Uint8Array(100))
  await tasks.add({ kind: 'batch', job: id, epoch: 0, firstBatch: 1, count: 1 })
  await jobs.setState(id, 'cancelled')
  expect(await redis.keys('stoker:*:batch:*')).toHaveLength(1)
  coordinate()
  await expect.poll(() => redis.keys('stoker:*:batch:*'), { timeout: 10_000 }).toEqual([])
  await expect.poll(liveBatches, { timeout: 10_000 }).toEqual([])
  await expect.poll(() => jobs.ended(), { timeout: 10_000 }).toEqual([])
})

test('a paused job releases nothing until it is resumed', async () => {
  await submit()
  coordinate()
  await count()
  await expect.poll(liveBatches, { timeout: 10_000 }).toHaveLength(6)
  await jobs.setState(id, 'paused')
  await buffer.setCursor(id, { epoch: 0, batch: 3 })
  expect((await liveBatches()).includes('0:6')).toBe(false)
  await jobs.setState(id, 'running')
  await expect.poll(liveBatches, { timeout: 10_000 }).toEqual(expect.arrayContaining(['0:6', '0:7', '0:8']))
})

test('a data set without records fails the job in plain words', async () => {
  await submit()
  coordinate()
  await count(0)
  await reached('failed')
  expect((await jobs.get(id)).error).toMatchObject({ code: 'STK_JOB_EMPTY' })
})

test('dropRemainder that leaves no batch fails the job', async () => {
  await submit([{ op: 'batch', size: 500, dropRemainder: true }, { op: 'prefetch' }], 600)
  coordinate()
  await count(200)
  await reached('failed')
  expect((await jobs.get(id)).error).toMatchObject({ code: 'STK_JOB_NO_BATCH' })
})
