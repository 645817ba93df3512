import { createJobStore, type JobStore } from '@stoker/jobs'
import { connectRedis } from '@stoker/queue'
import { type RunningServer, startRedis } from '@stoker/services'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Reporter } from '../src/io/reporter.js'
import type { StepRecord } from '../src/step-record.js'
import { initialState, type TrainingState } from '../src/training-state.js'
import { createToyJob } from './helpers/toy-job.js'

let server: RunningServer
let redis: Redis
let jobs: JobStore
beforeAll(async () => {
  server = await startRedis()
  redis = connectRedis(server.url, 'queue')
  jobs = createJobStore(redis, () => connectRedis(server.url, 'blocking'))
})
afterAll(async () => {
  jobs.close()
  redis.disconnect()
  await server.stop()
})

const step = (number: number, more: Partial<StepRecord> = {}): StepRecord => ({
  ...{ step: number, epoch: 0, batch: number - 1, records: 2, loss: number, accuracy: 0.5 },
  ...{ waitMs: 1, computeMs: 3, wallMs: 5, ready: 4 },
  ...more,
})
const after = (number: number): TrainingState => ({
  ...initialState,
  step: number,
  samples: 2 * number,
  sums: { records: 10, loss: 5, metrics: { accuracy: { total: 8, count: 10 }, auc: { total: 6, count: 10 } } },
  times: { steps: 10, records: 20, waitMs: 10, wallMs: 50 },
})
const throwIt = (error: unknown) => {
  throw error
}
const eventsOf = async (id: string) => {
  const seen: [string, unknown][] = []
  for await (const { type, data } of jobs.events(id, { block: 100 })) if (type !== 'state') seen.push([type, data])
  return seen
}

it('tells many steps as few events that together cover each step once', async () => {
  const { id } = await createToyJob(jobs)
  const reporter = new Reporter(jobs, id, () => 100)
  const started = performance.now()
  for (let number = 1; number <= 100; number++) {
    reporter.steps({ steps: [step(number)], state: after(number) }, throwIt)
    await new Promise(setImmediate)
  }
  await reporter.settled()
  const most = Math.ceil((performance.now() - started) / 250) + 2
  const events = await eventsOf(id)
  expect(events.length).toBeLessThanOrEqual(most)
  expect(events.reduce((sum, [, data]) => sum + (data as { steps: number }).steps, 0)).toBe(100)
  expect(await jobs.progress(id)).toEqual({
    ...{ step: 100, totalSteps: 100, secondsLeft: 0, samples: 200, loss: 0.5, accuracy: 0.8 },
    ...{ stepMs: 3, waitMs: 1, inputWaitShare: 0.2, trainEpoch: 0, trainBatch: 99, ringReady: 4 },
    ...{ 'metric:accuracy': 0.8, 'metric:auc': 0.6 },
  })
})

it('tells an epoch after its last steps, without a wait', async () => {
  const { id } = await createToyJob(jobs)
  const reporter = new Reporter(jobs, id, () => undefined)
  const result = {
    ...{ epoch: 0, loss: 1, accuracy: null, metrics: {}, learningRate: null },
    ...{ valLoss: null, valAccuracy: null, valMetrics: null },
  }
  reporter.steps({ steps: [step(1)], state: after(1) }, throwIt)
  reporter.steps({ steps: [step(2, { accuracy: null }), step(3, { accuracy: null })], state: after(3) }, throwIt)
  reporter.epoch(result, throwIt)
  await reporter.settled()
  const events = await eventsOf(id)
  expect(events.at(-1)).toEqual(['epoch', result])
  expect(events.at(-2)?.[1]).toMatchObject({ step: 3, accuracy: null })
  expect(await jobs.progress(id)).not.toHaveProperty('secondsLeft')
})

it('hands a report that Redis does not take to its error handler and goes on', async () => {
  const reporter = new Reporter(
    { setProgress: () => Promise.reject(new Error('no')), emit: (...args) => jobs.emit(...args) },
    (await createToyJob(jobs)).id,
    () => undefined,
  )
  const errors: unknown[] = []
  reporter.steps({ steps: [step(1)], state: after(1) }, (error) => errors.push(error))
  await reporter.settled()
  expect(errors).toEqual([new Error('no')])
})
