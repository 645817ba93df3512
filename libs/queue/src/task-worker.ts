import { type StokerError, toStokerError } from '@stoker/spec'
import { type Job, UnrecoverableError, WaitingError, Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import { TaskHandedBack, TaskLockLost } from './error-table.js'
import { QUEUE_PREFIX, QUEUES, type QueueName } from './keys.js'
import { asRedisError } from './redis-error.js'
import { type AnyTask, parseTask } from './task.js'
import { retryDelayMs, retryRule } from './task-retry.js'

/*
 * A worker holds at most `concurrency` tasks, each under a lock of `lockMs` that is renewed three times within it. What
 * ends a task:
 *   handler returns        -> the task is gone from Redis
 *   handler throws         -> again after a delay when the error is retryable and tries are left (task-retry.ts); else
 *                             `onFailed` hears of it first, then the task is gone
 *   close, grace is over   -> its signal aborts and it is put back in front at once; another worker has it immediately
 *   lock lost              -> its signal aborts; whoever found it stalled has it
 *   process dies           -> the lock runs out; a stall check of any worker puts it back, however often that happens
 * So a task may run twice, also at the same time: handlers must be idempotent.
 */

export interface TaskContext {
  readonly id: string
  /** Aborts when the task is not this worker's any more; its reason is TaskHandedBack or TaskLockLost. */
  readonly signal: AbortSignal
  /** From 1; counts tries that failed, not ones that were handed back or stalled. */
  readonly attempt: number
  /** BullMQ's lock token. */
  readonly token: string
}
export type TaskHandler = (task: AnyTask, context: TaskContext) => Promise<void>

export interface TaskWorkerOptions {
  readonly queue?: QueueName
  readonly concurrency: number
  readonly lockMs?: number
  readonly stallCheckMs?: number
  /** A task failed for good. Awaited before the task is removed; when it throws, the task is tried again if it can be. */
  readonly onFailed?: (task: AnyTask, error: StokerError) => Promise<void>
  /** Faults of the worker itself, such as a lock that could not be renewed or an invalid payload. */
  readonly onError?: (error: StokerError) => void
}

export type TaskWorkerState = 'running' | 'draining' | 'stopped'

export interface TaskWorker {
  readonly state: TaskWorkerState
  /** Tasks held now. */
  readonly active: number
  readonly concurrency: number
  /** Holds more or fewer tasks from now on; held ones are not touched. */
  setConcurrency(concurrency: number): void
  /** Takes no new task, lets held ones finish for `graceMs`, then hands back the rest. Safe to call twice. */
  close(options?: { readonly graceMs?: number }): Promise<void>
}

const LOCK_MS = 10_000
const STALL_CHECK_MS = 5_000
const GRACE_MS = 10_000
/** How long an aborted handler may take to notice, and Redis to take the task back. */
const SETTLE_MS = 5_000
/** A killed worker's task comes back every time; a task that kills workers is the coordinator's to notice. */
const STALLS_ALLOWED = 2 ** 31 - 1

/** @param connection of role `queue`; stays the caller's. The worker opens one more like it and closes that. */
export function createTaskWorker(connection: Redis, handler: TaskHandler, options: TaskWorkerOptions): TaskWorker {
  const { lockMs = LOCK_MS, stallCheckMs = STALL_CHECK_MS, onError = () => {} } = options
  const held = new Map<string, AbortController>()
  const running = new Set<Promise<void>>()
  let state: TaskWorkerState = 'running'
  let closing: Promise<void> | undefined

  const worker = new Worker(QUEUES[options.queue ?? 'tasks'], runTask, {
    connection,
    prefix: QUEUE_PREFIX,
    concurrency: options.concurrency,
    lockDuration: lockMs,
    lockRenewTime: Math.floor(lockMs / 3),
    stalledInterval: stallCheckMs,
    maxStalledCount: STALLS_ALLOWED,
    runRetryDelay: 500,
    settings: { backoffStrategy: (failed, _type, error) => retryDelayMs(error?.message ?? '', failed) },
  })
  worker.on('error', (error) => {
    if (state !== 'stopped') onError(asRedisError(error, connection) ?? toStokerError(error))
  })
  worker.on('lockRenewalFailed', (ids) => {
    for (const id of ids) held.get(id)?.abort(TaskLockLost(id))
  })

  async function runTask(job: Job, token = ''): Promise<void> {
    const id = job.id ?? ''
    const control = new AbortController()
    if (state !== 'running') return await handBack(job, token)
    held.set(id, control)
    try {
      const task = parse(job.data, id)
      const context = { id, signal: control.signal, attempt: job.attemptsMade + 1, token }
      const run = Promise.resolve().then(() => handler(task, context))
      track(run)
      const failure = await Promise.race([run.then(() => undefined, toFailure), aborted(control.signal)])
      if (TaskHandedBack.is(failure)) await handBack(job, token)
      if (TaskLockLost.is(failure)) throw new WaitingError(failure.message)
      if (failure) await failOrRetry(task, job, failure)
    } finally {
      held.delete(id)
    }
  }

  function parse(data: unknown, id: string): AnyTask {
    try {
      return parseTask(data, id)
    } catch (error) {
      onError(toStokerError(error))
      throw new UnrecoverableError(toStokerError(error).code)
    }
  }

  const toFailure = (error: unknown): StokerError => asRedisError(error, connection) ?? toStokerError(error)

  async function failOrRetry(task: AnyTask, job: Job, failure: StokerError): Promise<never> {
    // Only the code goes into Redis with the task: the message may quote data.
    if (failure.retryable && job.attemptsMade + 1 < retryRule(failure.code).attempts) throw new Error(failure.code)
    try {
      await options.onFailed?.(task, failure)
    } catch (error) {
      onError(toFailure(error))
      throw new Error(failure.code)
    }
    throw new UnrecoverableError(failure.code)
  }

  /** Puts the task in front of its kind and wakes an idle worker: BullMQ's moveToWait alone does not wake one. */
  async function handBack(job: Job, token: string): Promise<never> {
    await job.moveToWait(token)
    await connection.zadd(worker.toKey('marker'), 0, '0')
    throw new WaitingError(TaskHandedBack(job.id ?? '').message)
  }

  function track(run: Promise<void>): void {
    const settled = run.then(
      () => {},
      () => {},
    )
    running.add(settled)
    void settled.then(() => running.delete(settled))
  }

  async function drain(graceMs: number): Promise<void> {
    state = 'draining'
    const closed = worker.close()
    if (!(await within(graceMs, closed))) {
      for (const [id, control] of held) control.abort(TaskHandedBack(id))
      await within(SETTLE_MS, Promise.all([closed, ...running]))
    }
    state = 'stopped'
  }

  return {
    get state() {
      return state
    },
    get active() {
      return held.size
    },
    get concurrency() {
      return worker.concurrency
    },
    setConcurrency: (concurrency) => {
      worker.concurrency = concurrency
    },
    close: ({ graceMs = GRACE_MS } = {}) => {
      closing ??= drain(graceMs)
      return closing
    },
  }
}

/** Resolves with the signal's reason. */
const aborted = (signal: AbortSignal): Promise<StokerError> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(toStokerError(signal.reason)), { once: true })
  })

/** Whether `work` ends within `ms`. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  try {
    return await Promise.race([work.then(() => true as const), late])
  } finally {
    clearTimeout(timer)
  }
}
