import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BatchBuffer, createBatchBuffer } from '@stoker/buffer'
import { installEngine, listCheckpoints } from '@stoker/engine'
import { createJobStore, type JobEvent, type JobRecord, type JobStore } from '@stoker/jobs'
import { connectRedis, openTaskQueue, type TaskQueue } from '@stoker/queue'
import { freePort, type RunningServer, startRedis } from '@stoker/services'
import { createStore } from '@stoker/storage'
import type { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import type { TrainingResult } from '../src/result.js'
import { keepFed, type ToyFeederOptions } from './helpers/toy-feeder.js'
import { createToyJob, type ToyOptions } from './helpers/toy-job.js'
import { startTrainer, type TrainerProcess } from './helpers/trainer-process.js'

// Several processes start TensorFlow one after the other: seconds each on a busy machine.
vi.setConfig({ testTimeout: 180_000 })

let server: RunningServer
let redis: Redis
let jobs: JobStore
let buffer: BatchBuffer
let tasks: TaskQueue
let folder: string
const cleanUps: (() => Promise<void>)[] = []

beforeAll(async () => {
  await installEngine({ device: 'cpu', log: () => {} })
  folder = await mkdtemp(join(tmpdir(), 'stoker-trainer-'))
  server = await startRedis()
  redis = connectRedis(server.url, 'queue')
  const blocking = () => connectRedis(server.url, 'blocking')
  jobs = createJobStore(redis, blocking)
  buffer = createBatchBuffer({ redis, blocking })
  tasks = openTaskQueue(redis)
}, 600_000)
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
  await tasks.obliterate()
})
afterAll(async () => {
  jobs.close()
  buffer.close()
  await tasks.close()
  redis.disconnect()
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

const trainer = (env: Readonly<Record<string, string>> = {}): TrainerProcess => {
  const started = startTrainer({ STOKER_REDIS_URL: server.url, STOKER_STORE: `file://${folder}`, ...env })
  cleanUps.push(started.stop)
  return started
}

async function submit(options: ToyOptions, feeding: ToyFeederOptions = {}) {
  const { id, feeds } = await createToyJob(jobs, options)
  const feeder = keepFed(server.url, buffer, feeds, feeding)
  cleanUps.push(feeder.close)
  await tasks.add({ kind: 'train', job: id })
  return { id, feeder }
}

const ended = async (id: string): Promise<JobRecord> => {
  for await (const _event of jobs.events(id)) {
    // the sequence ends with the job
  }
  return await jobs.get(id)
}
async function eventsOf(id: string): Promise<JobEvent[]> {
  const seen: JobEvent[] = []
  for await (const event of jobs.events(id, { block: 500 })) seen.push(event)
  return seen
}
const eventOf = async (id: string, isIt: (event: JobEvent) => boolean): Promise<JobEvent> => {
  for await (const event of jobs.events(id)) if (isIt(event)) return event
  throw new Error('the job ended before the event came')
}
const stepOf = ({ data }: JobEvent): number => (data as { step: number }).step
const resultOf = (record: JobRecord) => record.result as unknown as TrainingResult
const modelFiles = async (id: string) => {
  const root = join(folder, 'jobs', id, 'model')
  const names = (await readdir(root, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const files = names.map((entry) => join(entry.parentPath, entry.name)).sort()
  return await Promise.all(files.map(async (file) => [file.slice(root.length), (await readFile(file)).toString('hex')]))
}

/** 10 batches an epoch; the fifth step of the second epoch is step 15. */
const JOB: ToyOptions = {
  ...{ trainRecords: 160, validationRecords: 40, epochs: 3, everySteps: 4 },
  // Everything that a checkpoint has to hold.
  train: {
    optimizer: {
      ...{ type: 'adamw', amsgrad: true, globalClipNorm: 1 },
      learningRate: { type: 'cosine', learningRate: 0.02, decaySteps: 25, warmup: { steps: 4 } },
    },
    metrics: ['accuracy', { type: 'topKAccuracy', k: 2 }],
    classWeight: { 1: 2 },
    earlyStopping: { patience: 2 },
  },
}
/** Starves the trainer after step 18. */
const LIMIT = { epoch: 1, batch: 8 }

/** What the job gives when nothing happens to its trainer; made once. */
let undisturbed: Promise<{ result: TrainingResult; files: string[][] }> | undefined
const reference = () => {
  undisturbed ??= (async () => {
    const { id } = await submit(JOB)
    const process = trainer()
    const record = await ended(id)
    process.signal('SIGTERM')
    expect(await process.ended).toBe(0)
    expect(record.error).toBeUndefined()
    return { result: resultOf(record), files: await modelFiles(id) }
  })()
  return undisturbed
}

it('trains a job to its end and leaves model, checkpoints, events and a summary', async () => {
  const { id } = await submit(JOB)
  const process = trainer()
  expect(await process.said('ready')).toMatchObject({ engine: expect.stringMatching(/native|wasm/) })
  const record = await ended(id)
  expect(record.error).toBeUndefined()
  expect(record.state).toBe('succeeded')
  const result = resultOf(record)
  expect(result).toMatchObject({ steps: 30, samples: 480, model: `file://${folder}/jobs/${id}/model` })
  expect(result.accuracy).toBeGreaterThan(0.9)
  expect(result.epochs.map(({ epoch }) => epoch)).toEqual([0, 1, 2])
  const losses = result.epochs.map(({ loss }) => loss)
  expect(losses).toEqual([...losses].sort((a, b) => b - a))
  expect(result.epochs.at(-1)).toMatchObject({ valLoss: result.loss, valAccuracy: result.accuracy })
  expect(result.metrics.accuracy).toBe(result.accuracy)
  expect(result.metrics.top2Accuracy).toBeGreaterThanOrEqual(result.accuracy ?? 1)
  const rates = result.epochs.map(({ learningRate }) => learningRate)
  expect(rates[0]).toBeGreaterThan(0.015)
  expect(rates[2]).toBeLessThan(0.001)
  expect(result.best).toMatchObject({ epoch: 2, value: result.loss })
  expect(result.best?.checkpoint).toContain(`/jobs/${id}/best/step-000000000030-`)
  expect(result.stepsPerSecond).toBeGreaterThan(0)
  expect(result.inputWaitShare).toBeGreaterThanOrEqual(0)
  expect(result.inputWaitShare).toBeLessThan(1)

  const events = await eventsOf(id)
  const of = (type: string) => events.filter((event) => event.type === type)
  expect(of('trainer')[0]?.data).toMatchObject({ engine: { kind: expect.any(String) }, resumedAtStep: 0 })
  expect(of('epoch').map(({ data }) => data)).toEqual(result.epochs)
  expect(of('best').map(({ data }) => (data as { epoch: number }).epoch)).toEqual([0, 1, 2])
  expect(of('checkpoint').map(stepOf)).toEqual([4, 8, 10, 12, 16, 20, 20, 24, 28, 30])
  expect(of('summary').map(({ data }) => data)).toEqual([result])
  expect(of('step').reduce((sum, { data }) => sum + (data as { steps: number }).steps, 0)).toBe(30)
  expect(await jobs.progress(id)).toMatchObject({ step: 30, totalSteps: 30, secondsLeft: 0, samples: 480 })

  expect((await modelFiles(id)).length).toBeGreaterThan(0)
  const store = createStore({ fileRoots: [folder] })
  const kept = await listCheckpoints(store, `file://${folder}/jobs/${id}/checkpoints`)
  expect(kept).toHaveLength(2)
  expect(kept[0]).toBe(result.checkpoint)
  expect(await tasks.counts('train')).toEqual({ waiting: 0, active: 0, delayed: 0 })
})

it('goes on from its checkpoint after SIGKILL, to the same losses and the same model, bit by bit', async () => {
  const { result, files } = await reference()
  const { id, feeder } = await submit(JOB, { limit: LIMIT })
  const first = trainer()
  await eventOf(id, (event) => event.type === 'checkpoint' && stepOf(event) === 16)
  // Steps after the checkpoint are lost with the process.
  await eventOf(id, (event) => event.type === 'step' && stepOf(event) > 16)
  first.signal('SIGKILL')
  expect(await first.ended).toBe('SIGKILL')

  feeder.lift()
  trainer()
  const record = await ended(id)
  expect(record.state).toBe('succeeded')
  const trainers = (await eventsOf(id)).filter(({ type }) => type === 'trainer')
  expect(trainers.map(({ data }) => (data as { resumedAtStep: number }).resumedAtStep)).toEqual([0, 16])
  // The batches behind the checkpoint were consumed, and were made again.
  expect(feeder.made.filter((at) => at === `${id}:1:6`)).toHaveLength(2)
  expect(resultOf(record).epochs).toEqual(result.epochs)
  expect(resultOf(record)).toMatchObject({ steps: 30, samples: 480 })
  expect(await modelFiles(id)).toEqual(files)
})

it('saves a checkpoint at SIGTERM, hands the job back and exits with 0; another trainer has it at once', async () => {
  const { result, files } = await reference()
  const { id, feeder } = await submit(JOB, { limit: LIMIT })
  const first = trainer()
  await eventOf(id, (event) => event.type === 'step' && stepOf(event) === 18)
  first.signal('SIGTERM')
  expect(await first.ended).toBe(0)
  const checkpoints = (await eventsOf(id)).filter(({ type }) => type === 'checkpoint')
  expect(stepOf(checkpoints.at(-1)!)).toBe(18)
  expect(await tasks.counts('train')).toEqual({ waiting: 1, active: 0, delayed: 0 })
  expect((await jobs.get(id)).state).toBe('running')

  feeder.lift()
  trainer()
  const record = await ended(id)
  expect(record.state).toBe('succeeded')
  expect(feeder.made.filter((at) => at === `${id}:1:7`)).toHaveLength(1)
  expect(resultOf(record).epochs).toEqual(result.epochs)
  expect(await modelFiles(id)).toEqual(files)
})

it('stops a cancelled job promptly and takes the next one', async () => {
  const { id } = await submit(JOB, { limit: LIMIT })
  const process = trainer()
  await eventOf(id, (event) => event.type === 'step' && stepOf(event) === 18)
  await jobs.setState(id, 'cancelled')
  await process.said('the job has ended')
  expect(await jobs.get(id)).toMatchObject({ state: 'cancelled' })
  const next = await submit({ epochs: 1 })
  expect((await ended(next.id)).state).toBe('succeeded')
})

it('fails a job whose loss is not finite and names step and batch', async () => {
  const { id } = await submit({ epochs: 1, learningRate: 1e30 })
  const process = trainer()
  const record = await ended(id)
  expect(record.state).toBe('failed')
  expect(record.error).toMatchObject({ code: 'STK_TRAIN_LOSS_NOT_FINITE', place: { epoch: 0 } })
  const { batch } = record.error?.place ?? {}
  expect(record.error?.message).toContain(`at step ${(batch ?? 0) + 1} (epoch 0, batch ${batch})`)
  const first = 16 * (batch ?? 0)
  expect(record.error?.message).toMatch(
    new RegExp(`: records ${first}, ${first + 1}, .* of file:///toy/${id}.tfrecord$`),
  )
  expect(record.error?.remedy).toContain(`stoker preview ${id} 0 ${batch}`)
  expect(JSON.stringify(record)).not.toMatch(/\bat .*\.(js|ts):\d+/)
  // It failed once: the same batch would give the same loss.
  expect(process.lines.filter(({ msg }) => msg === 'training')).toHaveLength(1)
})

it('stops early, goes back to the best epoch, and does so after SIGKILL as well', async () => {
  const options: ToyOptions = {
    ...{ trainRecords: 160, validationRecords: 40, epochs: 9, everySteps: 4 },
    // A step so large that the first epoch is the best one, and no epoch comes near it.
    train: {
      optimizer: { type: 'sgd', learningRate: 1 },
      loss: 'sparseCategoricalCrossentropy',
      earlyStopping: { patience: 2, minDelta: 100, restoreBest: true },
      export: ['tfjs', 'keras'],
    },
  }
  const run = async (disturb: boolean) => {
    const { id, feeder } = await submit(options, disturb ? { limit: LIMIT } : {})
    const first = trainer()
    if (disturb) {
      await eventOf(id, (event) => event.type === 'step' && stepOf(event) > 16)
      first.signal('SIGKILL')
      expect(await first.ended).toBe('SIGKILL')
      feeder.lift()
      trainer()
    }
    const record = await ended(id)
    expect(record.error).toBeUndefined()
    return { id, result: resultOf(record), files: await modelFiles(id), progress: await jobs.progress(id) }
  }
  const whole = await run(false)
  expect(whole.result).toMatchObject({ stoppedAfter: 2, restoredEpoch: 0, best: { epoch: 0 }, steps: 30 })
  expect(whole.result.loss).toBe(whole.result.epochs[0]?.valLoss)
  expect(whole.progress).toMatchObject({ totalSteps: 30, secondsLeft: 0 })
  expect(whole.files.map(([name]) => name)).toEqual(['/model.json', '/model.keras', '/weights.bin'])
  const events = (await eventsOf(whole.id)).filter(({ type }) => type === 'stoppedEarly')
  expect(events.map(({ data }) => data)).toEqual([{ epoch: 2, best: { epoch: 0, value: whole.result.loss } }])

  const disturbed = await run(true)
  expect(disturbed.result.epochs).toEqual(whole.result.epochs)
  expect(disturbed.result).toMatchObject({ stoppedAfter: 2, restoredEpoch: 0 })
  expect(disturbed.files).toEqual(whole.files)
})

it('leaves out batches whose loss is not finite where the job says so, and tells which', async () => {
  // Weights of a class without a record in some batches do no harm; infinite ones make the loss of the others infinite.
  const { id } = await submit({
    ...{ trainRecords: 64, epochs: 2 },
    train: { classWeight: { 1: 3e38 }, onNonFiniteLoss: 'skip' },
  })
  trainer()
  const record = await ended(id)
  const skipped = (await eventsOf(id)).filter(({ type }) => type === 'skipped').map(({ data }) => data)
  expect(skipped.length).toBeGreaterThan(0)
  expect(skipped[0]).toMatchObject({ feed: 'train', epoch: 0 })
  // Every batch holds a record of that class, so nothing was learned, which is no success.
  expect(record.error).toMatchObject({ code: 'STK_TRAIN_NO_BATCH' })
})

it('keeps its lock while TensorFlow blocks the engine thread for longer than the lock lives', async () => {
  const env = { STOKER_TRAINER_LOCK_MS: '1000' }
  const rivals = [trainer(env), trainer(env)]
  await Promise.all(rivals.map((process) => process.said('ready')))
  const { id } = await submit({ epochs: 1, trainRecords: 32, slowModel: true })
  const record = await ended(id)
  expect(record.state).toBe('succeeded')
  const lines = rivals.flatMap((process) => process.lines)
  expect(lines.filter(({ msg }) => msg === 'training')).toHaveLength(1)
  expect(lines.filter(({ msg }) => msg === 'trainer fault')).toEqual([])
  const [started] = lines.filter(({ msg }) => msg === 'training')
  const step = (await eventsOf(id)).find(({ type }) => type === 'step')
  // It was blocked for as long as the test needs.
  expect(Number(step?.id.split('-')[0]) - Number(started?.time)).toBeGreaterThan(1_500)
})

it('answers health while it can write to Redis', async () => {
  const port = await freePort()
  const process = trainer({ STOKER_TRAINER_HEALTH: String(port) })
  await process.said('ready')
  const answer = await fetch(`http://127.0.0.1:${port}/healthz`)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toEqual({ status: 'ok', trainer: 'running' })
})

it('exits at once at a second signal, with an exit code that says so', async () => {
  const process = trainer()
  await process.said('ready')
  // Redis that does not answer: the orderly way takes long.
  globalThis.process.kill(server.pid, 'SIGSTOP')
  cleanUps.push(async () => {
    globalThis.process.kill(server.pid, 'SIGCONT')
  })
  process.signal('SIGTERM')
  await process.said('stopping')
  process.signal('SIGTERM')
  expect(await process.ended).toBe(1)
})

it('does not start with a setting that is wrong, and says which', async () => {
  const process = trainer({ STOKER_TRAINER_RING: 'lots' })
  expect(await process.ended).toBe(1)
  expect(process.lines.at(-1)).toMatchObject({ err: { code: 'STK_SETTING' } })
})
