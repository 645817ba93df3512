import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type RunningServer, startRedis } from '@stoker/services'
import { defineError, type StokerError } from '@stoker/spec'
import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { connectRedis } from '../src/connect.js'
import { RedisFull, TaskHandedBack, TaskInvalid } from '../src/error-table.js'
import { QUEUE_PREFIX, QUEUES } from '../src/keys.js'
import { type AnyTask, taskId } from '../src/task.js'
import { openTaskQueue, type TaskQueue } from '../src/task-queue.js'
import { retryDelayMs } from '../src/task-retry.js'
import { createTaskWorker, type TaskHandler, type TaskWorker, type TaskWorkerOptions } from '../src/task-worker.js'

let server: RunningServer
let redis: Redis
let queue: TaskQueue
const workers: TaskWorker[] = []
beforeAll(async () => {
  server = await startRedis()
})
beforeEach(async () => {
  redis = connectRedis(server.url, 'queue')
  await redis.flushall()
  queue = openTaskQueue(redis)
})
afterEach(async () => {
  await Promise.all(workers.splice(0).map((worker) => worker.close({ graceMs: 0 })))
  await queue.close()
  redis.disconnect()
})
afterAll(() => server.stop())

const batchTask = (firstBatch: number, job = 'abc') =>
  ({ kind: 'batch', job, epoch: 0, firstBatch, count: 8 }) as const satisfies AnyTask
const work = (handler: TaskHandler, options: Partial<TaskWorkerOptions> = {}) => {
  const worker = createTaskWorker(redis, handler, { concurrency: 1, ...options })
  workers.push(worker)
  return worker
}
/** A promise and its resolver. */
function latch<T = void>() {
  let open: (value: T) => void = () => {}
  const opened = new Promise<T>((resolve) => {
    open = resolve
  })
  return { open, opened }
}
/** Resolves once so many workers wait for a task in Redis. */
async function idleWorkers(count: number): Promise<void> {
  while (Number(/blocked_clients:(\d+)/.exec(await redis.info('clients'))?.[1]) < count);
}
/** Resolves once the queue has no live task. */
async function empty(): Promise<void> {
  for (;;) {
    const { waiting, active, delayed } = await queue.counts('tasks')
    if (waiting + active + delayed === 0) return
  }
}

describe('a task', () => {
  it('has a name made of what it says', () => {
    expect(taskId(batchTask(16))).toBe('abc.e0.b16.n8')
    expect(taskId({ kind: 'index', job: 'abc.val', shard: 3 })).toBe('abc.val.i3')
    expect(taskId({ kind: 'preview', job: 'abc', epoch: 1, batch: 2 })).toBe('abc.p1.b2')
    expect(taskId({ kind: 'train', job: 'abc' })).toBe('abc.train')
  })

  it('is added once while it is live, and again when it is done', async () => {
    const id = await queue.add(batchTask(0))
    expect(await queue.add(batchTask(0))).toBe(id)
    expect(await queue.addAll([batchTask(0), batchTask(8)])).toEqual([id, 'abc.e0.b8.n8'])
    expect((await queue.counts('tasks')).waiting).toBe(2)
    expect(await queue.liveOf([id, 'abc.e9.b0.n8'])).toEqual(new Set([id]))
    const seen: string[] = []
    work(async (_task, context) => void seen.push(context.id))
    await empty()
    expect(seen.sort()).toEqual([id, 'abc.e0.b8.n8'])
    expect(await queue.isLive(id)).toBe(false)
    await queue.add(batchTask(0))
    await empty()
    expect(seen).toHaveLength(3)
  })

  it('leaves nothing in Redis when it is done or has failed', async () => {
    const handler: TaskHandler = async (task) => {
      if (task.kind === 'batch' && task.firstBatch === 0) throw new Error('no')
    }
    work(handler, { concurrency: 4 })
    await queue.addAll(Array.from({ length: 50 }, (_, n) => batchTask(n * 8)))
    await empty()
    const left = (await redis.keys('*stoker-tasks*')).filter((key) => /:abc\./.test(key))
    expect(left).toEqual([])
    expect(await redis.exists(`${QUEUE_PREFIX}:${QUEUES.tasks}:completed`)).toBe(0)
    expect(await redis.exists(`${QUEUE_PREFIX}:${QUEUES.tasks}:failed`)).toBe(0)
  })

  it('that somebody waits for goes before an index task, and that before batches', async () => {
    await queue.addAll([
      batchTask(0),
      { kind: 'index', job: 'abc', shard: 0 },
      batchTask(8),
      { kind: 'preview', job: 'abc', epoch: 0, batch: 5 },
      { kind: 'index', job: 'abc', shard: 1 },
    ])
    const seen: string[] = []
    work(async (_task, { id }) => void seen.push(id))
    await empty()
    expect(seen).toEqual(['abc.p0.b5', 'abc.i0', 'abc.i1', 'abc.e0.b0.n8', 'abc.e0.b8.n8'])
  })

  it('of the trainer has a queue of its own', async () => {
    const seen = latch<AnyTask>()
    work(async (task) => seen.open(task), { queue: 'train' })
    await queue.add({ kind: 'train', job: 'abc' })
    expect(await seen.opened).toEqual({ kind: 'train', job: 'abc' })
  })

  it('with a wrong payload is refused when added and when taken', async () => {
    const wrong = { ...batchTask(0), firstBatch: -1 }
    const error = await queue.add(wrong).catch((thrown: unknown) => thrown)
    expect(TaskInvalid.is(error)).toBe(true)
    expect(error).toMatchObject({ message: expect.stringContaining('firstBatch') })
    const faults = latch<StokerError>()
    let handled = 0
    work(async () => void handled++, { onError: faults.open })
    const raw = new Queue(QUEUES.tasks, { connection: redis, prefix: QUEUE_PREFIX })
    await raw.add('batch', { kind: 'sabotage' }, { jobId: 'x', removeOnFail: true, attempts: 3 })
    expect(TaskInvalid.is(await faults.opened)).toBe(true)
    await empty()
    expect(handled).toBe(0)
    await raw.close()
  })

  it('is taken back with the other tasks of its job, and no others are', async () => {
    await queue.addAll([batchTask(0), batchTask(8), batchTask(0, 'abc.val'), batchTask(0, 'other')])
    expect(await queue.removeTasks('abc')).toBe(2)
    const live = await queue.liveOf(['abc.e0.b0.n8', 'abc.e0.b8.n8', 'abc.val.e0.b0.n8', 'other.e0.b0.n8'])
    expect([...live].sort()).toEqual(['abc.val.e0.b0.n8', 'other.e0.b0.n8'])
  })

  it('can be added again after the queue was obliterated', async () => {
    await queue.add(batchTask(0))
    await queue.obliterate()
    expect(await queue.isLive('abc.e0.b0.n8')).toBe(false)
    const seen = latch<string>()
    work(async (_task, { id }) => seen.open(id))
    await queue.add(batchTask(0))
    expect(await seen.opened).toBe('abc.e0.b0.n8')
  })
})

describe('a task that fails', () => {
  const Passing = defineError('STK_TEST_PASSING', 'try again', { retryable: true })
  const Lasting = defineError('STK_TEST_LASTING', 'never works')

  it('with a retryable error is tried three times, then reported once', async () => {
    const attempts: number[] = []
    const reported = latch<[AnyTask, StokerError]>()
    work(
      async (_task, { attempt }) => {
        attempts.push(attempt)
        throw Passing()
      },
      { onFailed: async (task, error) => reported.open([task, error]) },
    )
    await queue.add(batchTask(0))
    const [task, error] = await reported.opened
    expect(attempts).toEqual([1, 2, 3])
    expect(task).toEqual(batchTask(0))
    expect(Passing.is(error)).toBe(true)
    await empty()
  })

  it('with another error is reported at once', async () => {
    let attempts = 0
    const reported = latch<StokerError>()
    work(
      async () => {
        attempts++
        throw Lasting().with({ place: { shard: 's', record: 3 } })
      },
      { onFailed: async (_task, error) => reported.open(error) },
    )
    await queue.add(batchTask(0))
    expect(await reported.opened).toMatchObject({ code: 'STK_TEST_LASTING', place: { shard: 's', record: 3 } })
    await empty()
    expect(attempts).toBe(1)
  })

  it('because Redis has no room waits it out, however long that takes', async () => {
    const done = latch<number>()
    let failed = 0
    work(
      async (_task, { attempt }) => {
        if (attempt > 3) return done.open(attempt)
        throw RedisFull('here', 'OOM')
      },
      { onFailed: async () => void failed++ },
    )
    await queue.add(batchTask(0))
    expect(await done.opened).toBe(4)
    expect(failed).toBe(0)
  })

  it('waits longer each time, up to a limit, and never the same time twice', () => {
    const full = Array.from({ length: 8 }, (_, n) => retryDelayMs(Passing.code, n + 1, () => 1))
    expect(full).toEqual([500, 1000, 2000, 4000, 5000, 5000, 5000, 5000])
    expect(retryDelayMs(Passing.code, 1, () => 0)).toBe(250)
  })

  it('is reported before it is gone', async () => {
    const live = latch<boolean>()
    work(() => Promise.reject(Lasting()), {
      onFailed: async () => live.open(await queue.isLive('abc.e0.b0.n8')),
    })
    await queue.add(batchTask(0))
    expect(await live.opened).toBe(true)
    await empty()
  })
})

describe('a worker that closes', () => {
  it('finishes what it holds and takes nothing new', async () => {
    const started = latch()
    const finish = latch()
    const seen: string[] = []
    const worker = work(async (_task, { id }) => {
      started.open()
      await finish.opened
      seen.push(id)
    })
    await queue.addAll([batchTask(0), batchTask(8)])
    await started.opened
    const closed = worker.close({ graceMs: 30_000 })
    expect(worker.state).toBe('draining')
    finish.open()
    await closed
    expect(worker.state).toBe('stopped')
    expect(seen).toEqual(['abc.e0.b0.n8'])
    expect(await queue.counts('tasks')).toEqual({ waiting: 1, active: 0, delayed: 0 })
    await worker.close() // again
  })

  it('hands back what it cannot finish, in front, to a worker that idles', async () => {
    const started = latch<AbortSignal>()
    const worker = work((_task, { signal }) => {
      started.open(signal)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    await queue.add(batchTask(0))
    const signal = await started.opened
    const taken: string[] = []
    const [firstTaken, secondTaken] = [latch(), latch<number>()]
    work(async (_task, { id, attempt }) => {
      taken.push(`${id} ${attempt}`)
      taken.length === 1 ? firstTaken.open() : secondTaken.open(performance.now())
    })
    await queue.add(batchTask(8))
    await firstTaken.opened
    await idleWorkers(1)
    const start = performance.now()
    await worker.close({ graceMs: 1 })
    expect(TaskHandedBack.is(signal.reason)).toBe(true)
    // An idle BullMQ worker looks again by itself after five seconds only.
    expect((await secondTaken.opened) - start).toBeLessThan(2_500)
    expect(taken).toEqual(['abc.e0.b8.n8 1', 'abc.e0.b0.n8 1'])
  })

  it('hands back the task of a handler that does not listen, too', async () => {
    const started = latch()
    const finish = latch()
    const worker = work(async () => {
      started.open()
      await finish.opened
    })
    await queue.add(batchTask(0))
    await started.opened
    const closed = worker.close({ graceMs: 1 })
    const taken = latch<string>()
    work(async (_task, { id }) => taken.open(id))
    expect(await taken.opened).toBe('abc.e0.b0.n8')
    finish.open()
    await closed
  })
})

describe('a worker that is killed', () => {
  it('loses its task to another one, however often that happens', async () => {
    const lockMs = 600
    const stallCheckMs = 200
    await queue.add(batchTask(0))
    for (let kills = 0; kills < 3; kills++) {
      const script = fileURLToPath(new URL('./worker-process.mjs', import.meta.url))
      const child = spawn(process.execPath, [script, server.url, String(lockMs), String(stallCheckMs)])
      const [line] = await once(child.stdout, 'data')
      expect(String(line).trim()).toBe('abc.e0.b0.n8')
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    const taken = latch<string>()
    work(async (_task, { id, attempt }) => taken.open(`${id} ${attempt}`), { lockMs, stallCheckMs })
    expect(await taken.opened).toBe('abc.e0.b0.n8 1')
    await empty()
  })
})
