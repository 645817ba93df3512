import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createBatchBuffer, decodeBatch } from '@stoker/buffer'
import { planJob, startCoordinator } from '@stoker/coordinator'
import { encodeExample, writeTfrecord } from '@stoker/formats'
import { createJobStore } from '@stoker/jobs'
import { loadOps } from '@stoker/ops'
import { connectRedis, listenWake, openTaskQueue } from '@stoker/queue'
import { startRedis } from '@stoker/services'
import { createStore } from '@stoker/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const moduleOf = (name: string) => fileURLToPath(new URL(`../../../test/fixtures/ops/${name}`, import.meta.url))
const MODULES = ['acme.mjs', 'faulty.mjs'].map(moduleOf)

let closing: (() => unknown)[] = []
let folder: string
let redisUrl: string
let jobs: ReturnType<typeof createJobStore>
let buffer: ReturnType<typeof createBatchBuffer>
let store: ReturnType<typeof createStore>

beforeAll(async () => {
  // The api of this test: it knows the ops before it checks a spec.
  await loadOps(MODULES)
  folder = await mkdtemp(join(tmpdir(), 'stoker-worker-ops-'))
  const server = await startRedis()
  redisUrl = server.url
  store = createStore({ fileRoots: [folder] })
  const redis = connectRedis(redisUrl, 'queue')
  const opened = [redis]
  const blocking = () => {
    const connection = connectRedis(redisUrl, 'blocking')
    opened.push(connection)
    return connection
  }
  jobs = createJobStore(redis, blocking)
  buffer = createBatchBuffer({ redis, blocking })
  const tasks = openTaskQueue(redis)
  const coordinator = startCoordinator({ jobs, buffer, tasks, listen: (listener) => listenWake(blocking, listener) })
  closing = [
    () => coordinator.close(),
    () => jobs.close(),
    () => buffer.close(),
    () => tasks.close(),
    () => {
      for (const connection of opened) connection.disconnect()
    },
    () => store.close(),
    () => server.stop(),
    () => rm(folder, { recursive: true, force: true }),
  ]
  const records = Array.from({ length: 20 }, (_, id) => encodeExample({ id: { int64: [id] } }))
  await writeFile(join(folder, 'ids.tfrecord'), writeTfrecord(records))
})
afterAll(async () => {
  for (const close of closing) await close()
})

async function withWorker(modules: readonly string[], use: (worker: ChildProcess) => Promise<void>): Promise<void> {
  const worker = spawn(process.execPath, [MAIN], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      STOKER_REDIS_URL: redisUrl,
      STOKER_STORE: `file://${folder}/store`,
      STOKER_FILE_ROOTS: folder,
      STOKER_WORKER_PARALLELISM: '1',
      STOKER_OPS: modules.join(':'),
      STOKER_OP_TIMEOUT_MS: '700',
    },
  })
  try {
    for await (const line of createInterface({ input: worker.stdout })) if (line.includes('"msg":"ready"')) break
    worker.stdout.resume()
    await use(worker)
  } finally {
    worker.kill('SIGKILL')
  }
}

const shard = () => pathToFileURL(join(folder, 'ids.tfrecord')).href

let made = 0
async function submit(...stages: object[]): Promise<string> {
  const id = `${'u'.repeat(20)}${String(made++).padStart(6, '0')}`
  const parse = { op: 'parseExample', features: { id: { kind: 'fixedLen', dtype: 'int64' } } }
  const pipeline = {
    source: { type: 'tfrecord', files: shard() },
    stages: [parse, ...stages, { op: 'prefetch', depth: 8 }],
  }
  const context = { store, scratch: `file://${folder}/store/scratch` }
  const { checked, plan } = await planJob({ document: { pipeline }, context })
  await jobs.create({ id, name: 'test', spec: checked.job, specHash: checked.specHash }, plan)
  return id
}

async function failureOf(job: string) {
  for await (const { data } of jobs.events(job, { block: 40_000 })) {
    if ((data as { state?: string }).state === 'failed') return (await jobs.get(job)).error
  }
  throw new Error('the job did not fail')
}

const batch = { op: 'batch', size: 5 }
const faulty = (mode: string, from = 0) => ({ op: 'faulty.record', field: 'id', mode, from })

async function firstBatch(job: string) {
  const bytes = await buffer.take(job, 0, 0, { waitMs: 40_000 })
  if (!bytes) throw new Error('the batch did not come')
  // A copy starts at a multiple of eight, whatever lies before it in the batch.
  return Object.fromEntries(decodeBatch(bytes).tensors.map(({ name, data }) => [name, new Uint8Array(data).buffer]))
}

test('a worker runs record, select and batch ops of a module that its environment names', async () => {
  await withWorker(MODULES, async () => {
    const job = await submit(
      { op: 'acme.notMultiple', field: 'id', by: 2 },
      { op: 'cast', field: 'id', dtype: 'float32' },
      { op: 'acme.total', field: 'id' },
      batch,
      { op: 'acme.centre', field: 'total' },
    )
    const { id, total } = await firstBatch(job)
    expect(new Float32Array(id!)).toEqual(Float32Array.of(1, 3, 5, 7, 9))
    expect(new Float32Array(total!)).toEqual(Float32Array.of(-4, -2, 0, 2, 4))
  })
})

test('an op that throws, lies or never answers fails the job with op, shard and record', async () => {
  await withWorker(MODULES, async () => {
    for (const [mode, code] of [
      ['throws', 'STK_USER_OP_FAILED'],
      ['type', 'STK_USER_OP_RESULT'],
      ['never', 'STK_USER_OP_TIMEOUT'],
    ] as const) {
      const error = await failureOf(await submit(faulty(mode, 7), batch))
      expect(error).toMatchObject({
        code,
        place: { op: 'faulty.record', shard: shard(), record: 7, epoch: 0, batch: 1 },
      })
    }
  })
})

test('an op that blocks its thread is ended, and the worker goes on with other jobs', async () => {
  await withWorker(MODULES, async (worker) => {
    const error = await failureOf(await submit(faulty('spins', 12), batch))
    expect(error).toMatchObject({
      code: 'STK_USER_OP_TIMEOUT',
      place: { op: 'faulty.record', shard: shard(), record: 12, epoch: 0 },
    })
    const { id } = await firstBatch(await submit(batch))
    expect(new BigInt64Array(id!)).toEqual(BigInt64Array.of(0n, 1n, 2n, 3n, 4n))
    expect(worker.exitCode).toBeNull()
  })
})

test('a worker with another version of the module makes no batch and says why', async () => {
  const other = join(folder, 'acme.mjs')
  await writeFile(other, `${await readFile(moduleOf('acme.mjs'), 'utf8')}// changed\n`)
  await withWorker([other], async () => {
    const error = await failureOf(await submit({ op: 'acme.total', field: 'id' }, batch))
    expect(error).toMatchObject({ code: 'STK_SPEC_OP_VERSION', place: { op: 'acme.total' } })
    const missing = await failureOf(await submit(faulty('throws'), batch))
    expect(missing).toMatchObject({ code: 'STK_OPS_MISSING', place: { op: 'faulty.record' } })
  })
})
