import { type JobStore, JobUnknown, WrongState } from '@stoker/jobs'
import { loadOps } from '@stoker/ops'
import { type AnyTask, createTaskWorker, openTaskQueue } from '@stoker/queue'
import { fromErrorView, type StokerError } from '@stoker/spec'
import { Piscina } from 'piscina'
import type { WorkerContext } from './context.js'
import type { ThreadJob, ThreadOutcome, ThreadSetup } from './thread-protocol.js'
import { runWatched } from './watch-ops.js'

export interface PreprocessingWorker {
  /** Resolves when the worker has stopped, by `close` or, in drain mode, because the queue ran empty. */
  readonly closed: Promise<void>
  /** Takes no new task, finishes what is held within the grace period, hands back the rest. Safe to call twice. */
  close(): Promise<void>
}

/** Looks for an empty queue this often; only in drain mode. */
const DRAIN_LOOK_MS = 1_000
/** Between an index and the batches it opens up the queue may be empty for a moment. */
const EMPTY_LOOKS = 5

export async function createWorker(context: WorkerContext): Promise<PreprocessingWorker> {
  const { config, log, redis } = context
  for (const op of await loadOps(config.ops)) log.info(op, 'op loaded')
  const hasUserOps = config.ops.length > 0
  const setup: ThreadSetup = { config, cacheBytes: Math.floor(config.cacheBytes / config.parallelism) }
  const pool = new Piscina<ThreadJob | null, ThreadOutcome>({
    filename: new URL('./compute-thread.js', import.meta.url).href,
    workerData: setup,
    minThreads: config.parallelism,
    maxThreads: config.parallelism,
    idleTimeout: Number.POSITIVE_INFINITY,
    // A thread owns sockets: one that waits for work must still serve them, so it may not block on shared memory.
    atomics: 'disabled',
    // A preview or an index may share a thread with a batch task that waits for its store; not where an op of the
    // user's own may hang, since then the thread has to go, with all that runs in it.
    concurrentTasksPerWorker: hasUserOps ? 1 : 2,
  })

  await warmUp(pool, config.parallelism)

  const handle = async (task: AnyTask, { signal }: { signal: AbortSignal }): Promise<void> => {
    if (task.kind === 'train') throw new TypeError('a training task in the queue of the workers')
    const outcome = hasUserOps ? await runWatched(pool, task, context) : await pool.run({ task })
    if (signal.aborted) return
    if (!outcome.ok) throw fromErrorView(outcome.error)
    const { batches, busyMs } = outcome
    log.debug({ task, batches, busyMs: Math.round(busyMs) }, 'task done')
  }

  const tasks = createTaskWorker(redis, handle, {
    concurrency: config.parallelism + 1,
    onFailed: (task, error) => reportFailure(context, task, error),
    onError: (error) => log.warn({ err: error.toJSON() }, 'worker fault'),
  })

  const queue = openTaskQueue(redis)
  let closing: Promise<void> | undefined
  const { promise: closed, resolve } = promiseWithResolver()
  const close = () => {
    closing ??= (async () => {
      clearInterval(drainTimer)
      await tasks.close({ graceMs: config.graceMs })
      await pool.destroy()
      await queue.close()
      resolve()
    })()
    return closing
  }
  let emptyLooks = 0
  const look = async (): Promise<void> => {
    const { waiting, active, delayed } = await queue.counts('tasks')
    emptyLooks = waiting + active + delayed === 0 ? emptyLooks + 1 : 0
    if (emptyLooks >= EMPTY_LOOKS) await close()
  }
  const drainTimer = config.drain
    ? setInterval(
        () => void look().catch((error: unknown) => log.warn({ err: error }, 'cannot look at the queue')),
        DRAIN_LOOK_MS,
      )
    : undefined
  return { closed, close }
}

/** Waits until every thread has loaded its modules, so that `ready` means ready. */
async function warmUp(pool: Piscina<ThreadJob | null, ThreadOutcome>, threads: number): Promise<void> {
  await Promise.all(Array.from({ length: threads }, () => pool.run(null)))
}

/** A task failed for good: its job fails with the error that names the record, or the preview's asker hears of it. */
async function reportFailure({ jobs, buffer, log }: WorkerContext, task: AnyTask, error: StokerError): Promise<void> {
  log.error({ task, err: error.toJSON() }, 'task failed')
  if (task.kind === 'preview') await buffer.failPreview(task.job, task.epoch, task.batch, error.toJSON())
  else await failJob(jobs, task.job, error)
}

/** The job may have ended meanwhile, by this fault in another task or otherwise; the first end stands. */
async function failJob(jobs: JobStore, job: string, error: StokerError): Promise<void> {
  try {
    await jobs.setState(job, 'failed', { error: error.toJSON() })
  } catch (fault) {
    if (!WrongState.is(fault) && !JobUnknown.is(fault)) throw fault
  }
}

function promiseWithResolver(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}
