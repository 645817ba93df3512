import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type BatchBuffer, batchSha256, createBatchBuffer, decodeBatch } from '@stoker/buffer'
import { planJob, startCoordinator } from '@stoker/coordinator'
import { encodeExample, writeTfrecord } from '@stoker/formats'
import { createJobStore, type JobStore } from '@stoker/jobs'
import { connectRedis, listenWake, openTaskQueue, type TaskQueue } from '@stoker/queue'
import { type RunningServer, startRedis } from '@stoker/services'
import { createStore, type ObjectStore } from '@stoker/storage'
import type { Redis } from 'ioredis'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))

let folder: string
let server: RunningServer
let store: ObjectStore
let redis: Redis
let jobs: JobStore
let buffer: BatchBuffer
let tasks: TaskQueue
let coordinator: { close(): Promise<void> }
const opened: Redis[] = []
const workers = new Set<ChildProcess>()

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoker-worker-'))
  server = await startRedis()
  store = createStore({ fileRoots: [folder], http: { privateHosts: ['127.0.0.1'] } })
  redis = connectRedis(server.url, 'queue')
  const blocking = () => {
    const connection = connectRedis(server.url, 'blocking')
    opened.push(connection)
    return connection
  }
  jobs = createJobStore(redis, blocking)
  buffer = createBatchBuffer({ redis, blocking })
  tasks = openTaskQueue(redis)
  coordinator = startCoordinator({ jobs, buffer, tasks, listen: (listener) => listenWake(blocking, listener) })
})

afterEach(async () => {
  for (const worker of workers) worker.kill('SIGKILL')
  workers.clear()
  await coordinator.close()
  jobs.close()
  buffer.close()
  await tasks.close()
  for (const connection of [redis, ...opened.splice(0)]) connection.disconnect()
  await store.close()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Starts the real process; resolves when it says that it is ready. */
async function startWorker(env: Record<string, string> = {}): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      STOKER_REDIS_URL: server.url,
      STOKER_STORE: `file://${folder}/store`,
      STOKER_FILE_ROOTS: folder,
      STOKER_WORKER_PARALLELISM: '1',
      ...env,
    },
  })
  workers.add(worker)
  worker.once('exit', () => workers.delete(worker))
  for await (const line of createInterface({ input: worker.stdout })) {
    if (!line.includes('"msg":"ready"')) continue
    worker.stdout.resume()
    return worker
  }
  throw new Error('the worker ended before it was ready')
}

const exitOf = async (worker: ChildProcess): Promise<unknown> => {
  const [code, signal] = await once(worker, 'exit')
  return signal ?? code
}

let made = 0
async function submit(pipeline: object, more: object = {}): Promise<string> {
  const id = `${'w'.repeat(20)}${String(made++).padStart(6, '0')}`
  const { checked, plan } = await planJob({
    document: { pipeline, ...more },
    context: { store, scratch: `file://${folder}/store/scratch` },
  })
  await jobs.create({ id, name: 'test', spec: checked.job, specHash: checked.specHash }, plan)
  return id
}

async function consume(job: string, epoch: number, batches: number): Promise<string[]> {
  const hashes: string[] = []
  for (let batch = 0; batch < batches; batch++) {
    const bytes = await buffer.take(job, epoch, batch, { waitMs: 40_000 })
    if (!bytes) throw new Error(`batch ${batch} of epoch ${epoch} did not come`)
    hashes.push(batchSha256(bytes))
    await buffer.setCursor(job, { epoch, batch: batch + 1 })
  }
  return hashes
}

const range = (stop: number) => ({
  source: { type: 'range', stop },
  stages: [
    { op: 'shuffle', bufferSize: 50 },
    { op: 'batch', size: 10 },
    { op: 'prefetch', depth: 8 },
  ],
})

async function writeShard(name: string, damage: (bytes: Uint8Array) => void = () => undefined): Promise<void> {
  const records = Array.from({ length: 20 }, (_, id) => encodeExample({ id: { int64: [id] } }))
  const bytes = writeTfrecord(records)
  damage(bytes)
  await writeFile(join(folder, name), bytes)
}

const ids = (files: string) => ({
  source: { type: 'tfrecord', files },
  stages: [
    { op: 'parseExample', features: { id: { kind: 'fixedLen', dtype: 'int64' } } },
    { op: 'batch', size: 5 },
    { op: 'prefetch' },
  ],
})

async function failureOf(job: string) {
  for await (const { data } of jobs.events(job, { block: 40_000 })) {
    if ((data as { state?: string }).state === 'failed') return (await jobs.get(job)).error
  }
  throw new Error('the job did not fail')
}

test('makes the same batches after a SIGKILL in the middle as without one', async () => {
  let worker = await startWorker()
  const calm = await consume(await submit(range(600)), 0, 60)
  const shaken = await submit(range(600))
  const first = await consume(shaken, 0, 10)
  worker.kill('SIGKILL')
  await exitOf(worker)
  worker = await startWorker()
  const rest: string[] = []
  for (let batch = 10; batch < 60; batch++) {
    const bytes = await buffer.take(shaken, 0, batch, { waitMs: 40_000 })
    rest.push(batchSha256(bytes ?? new Uint8Array()))
    await buffer.setCursor(shaken, { epoch: 0, batch: batch + 1 })
  }
  expect([...first, ...rest]).toEqual(calm)
  expect(new Set(calm).size).toBe(60)
})

test('SIGTERM lets held tasks end and exits with 0', async () => {
  const worker = await startWorker()
  const job = await submit(range(600))
  await consume(job, 0, 3)
  worker.kill('SIGTERM')
  expect(await exitOf(worker)).toBe(0)
  expect((await tasks.counts('tasks')).active).toBe(0)
})

test('a drained queue ends a worker in drain mode', async () => {
  const job = await submit(range(40))
  const worker = await startWorker({ STOKER_WORKER_DRAIN: 'true' })
  const exited = exitOf(worker)
  await consume(job, 0, 4)
  expect(await exited).toBe(0)
})

test('a damaged record fails the job with code, shard, record and offset', async () => {
  await writeShard('bad.tfrecord', (bytes) => {
    const at = Math.floor(bytes.length * 0.6)
    bytes[at] = (bytes[at] ?? 0) ^ 0xff
  })
  await startWorker()
  const error = await failureOf(await submit(ids('file:bad.tfrecord')))
  expect(error?.code).toMatch(/^STK_TFRECORD_/)
  expect(error?.place).toMatchObject({ shard: `file://${folder}/bad.tfrecord`, record: expect.any(Number) })
  expect(error?.place?.offset).toBeGreaterThan(0)
  expect(JSON.stringify(error)).not.toContain('node_modules')
})

test('a job that skips bad records lists each once, before the batch that lacks it is there', async () => {
  await writeShard('bad.tfrecord', (bytes) => {
    const at = Math.floor(bytes.length * 0.6)
    bytes[at] = (bytes[at] ?? 0) ^ 0xff
  })
  await startWorker()
  const job = await submit(ids('file:bad.tfrecord'), { onBadRecord: 'skip', epochs: 2 })
  const rows: number[] = []
  for (const epoch of [0, 1]) {
    for (let batch = 0; batch < 3; batch++) {
      const bytes = await buffer.take(job, epoch, batch, { waitMs: 40_000 })
      rows.push(decodeBatch(bytes ?? new Uint8Array()).metadata.records)
      await buffer.setCursor(job, { epoch, batch: batch + 1 })
    }
    await buffer.setCursor(job, { epoch: epoch + 1, batch: 0 })
  }
  // The length of record 12 is damaged, so the rest of the shard cannot be found: one record stands for it.
  expect(rows).toEqual([5, 5, 2, 5, 5, 2])
  const ledger = await jobs.badRecords(job)
  expect(ledger).toMatchObject([
    { shard: `file://${folder}/bad.tfrecord`, code: 'STK_TFRECORD_LENGTH_CRC', record: 12, epoch: 0, batch: 2 },
  ])
})

test('a job with more bad records than its fraction fails, with the numbers; one with fewer goes on', async () => {
  await writeShard('bad.tfrecord', (bytes) => {
    const at = Math.floor(bytes.length * 0.6)
    bytes[at] = (bytes[at] ?? 0) ^ 0xff
  })
  await writeShard('good.tfrecord')
  await startWorker()
  // Record 12 of 20 is where the damaged shard ends: 8 of 20 are gone, or 8 of 40.
  const spoiled = await submit(ids('file:bad.tfrecord'), { onBadRecord: 'skip', maxBadFraction: 0.39 })
  expect(await failureOf(spoiled)).toMatchObject({
    code: 'STK_JOB_BAD_RECORDS',
    message: expect.stringContaining('8 of 20 records'),
  })
  const both = await submit(ids('file:*.tfrecord'), { onBadRecord: 'substitute', maxBadFraction: 0.2 })
  await consume(both, 0, 6)
  expect((await jobs.get(both)).state).not.toBe('failed')
  expect(await jobs.badRecords(both)).toMatchObject([{ record: 12, lost: 7, standIn: { record: expect.any(Number) } }])
})

test('a truncated shard fails the job while it is indexed', async () => {
  await writeShard('good.tfrecord')
  const bytes = writeTfrecord([encodeExample({ id: { int64: [1] } })])
  await writeFile(join(folder, 'cut.tfrecord'), bytes.subarray(0, bytes.length - 3))
  await startWorker()
  const error = await failureOf(await submit(ids('file:*.tfrecord')))
  expect(error?.code).toBe('STK_TFRECORD_TRUNCATED')
  expect(error?.place?.shard).toBe(`file://${folder}/cut.tfrecord`)
})

test('a preview is made without moving the cursor, and a preview of what does not exist says so', async () => {
  await writeShard('good.tfrecord')
  await startWorker()
  const job = await submit(ids('file:good.tfrecord'))
  const preview = (batch: number) =>
    buffer.preview(job, 0, batch, {
      request: () => tasks.add({ kind: 'preview', job, epoch: 0, batch }),
      waitMs: 40_000,
    })
  const bytes = await preview(3)
  const [tensor] = decodeBatch(bytes ?? new Uint8Array()).tensors
  expect([...new BigInt64Array(new Uint8Array(tensor?.data ?? []).buffer)]).toEqual([15n, 16n, 17n, 18n, 19n])
  expect(await buffer.cursor(job)).toEqual({ epoch: 0, batch: 0 })
  await expect(preview(4)).rejects.toThrow(/no batch 4/)
})

test('reads over http:, waits where the server asks for patience, and says how often', async () => {
  await writeShard('web.tfrecord')
  const shard = await readFile(join(folder, 'web.tfrecord'))
  let refusals = 0
  const web = createServer(({ headers }, response) => {
    // The coordinator looks at the shard first: that is not the worker's waiting.
    if (headers['if-match'] && refusals < 3) {
      refusals++
      response.writeHead(503).end()
      return
    }
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
    const end = Math.min(to === '' ? shard.length : Number(to) + 1, shard.length)
    const range = `bytes ${from}-${end - 1}/${shard.length}`
    response.writeHead(206, { etag: '"1"', 'content-range': range }).end(shard.subarray(Number(from), end))
  })
  web.listen(0, '127.0.0.1')
  await once(web, 'listening')
  const { port } = web.address() as { port: number }
  await startWorker({ STOKER_HTTP_PRIVATE: '127.0.0.1' })
  const job = await submit(ids(`http://127.0.0.1:${port}/web.tfrecord`))
  expect((await consume(job, 0, 4)).length).toBe(4)
  expect(refusals).toBe(3)
  await vi.waitFor(async () => expect((await jobs.progress(job)).storageRetries).toBe(3), 10_000)
  web.close()
  web.closeAllConnections()
})
