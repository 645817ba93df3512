import { OP_WATCH_BYTES, readOpWatch, UserOpTimeout, type Watched } from '@stoker/ops'
import type { Plan } from '@stoker/plan'
import type { Place } from '@stoker/spec'
import type { Piscina } from 'piscina'
import type { WorkerContext } from './context.js'
import type { ThreadJob, ThreadOutcome, ThreadTask } from './thread-protocol.js'

/** A thread that is not blocked gives an op up itself; this much later the thread is taken to be blocked. */
const GRACE_MS = 500
const MOST_LOOK_MS = 1_000

/**
 * Runs a task in the pool. When an op of the user's own blocks the thread past its time, the thread is terminated (the
 * pool starts another) and the task fails with the op and the record it hung on.
 *
 * @throws UserOpTimeout
 */
export async function runWatched(
  pool: Piscina<ThreadJob | null, ThreadOutcome>,
  task: ThreadTask,
  { config: { opTimeoutMs }, jobs, log }: Pick<WorkerContext, 'config' | 'jobs' | 'log'>,
): Promise<ThreadOutcome> {
  const watch = new SharedArrayBuffer(OP_WATCH_BYTES)
  const control = new AbortController()
  let hung: Watched | undefined
  const look = () => {
    const running = readOpWatch(watch)
    if (!running || running.forMs < opTimeoutMs + GRACE_MS) return
    hung = running
    control.abort()
  }
  const timer = setInterval(look, Math.min(MOST_LOOK_MS, Math.max(50, opTimeoutMs / 4)))
  try {
    return await pool.run({ task, watch }, { signal: control.signal })
  } catch (error) {
    if (!hung) throw error
    log.error({ task, op: hung.op, forMs: hung.forMs }, 'an op blocked its thread, which was terminated')
    throw UserOpTimeout(hung.op, opTimeoutMs).with({ place: placeOf(task, hung, await jobs.plan(task.job)) })
  } finally {
    clearInterval(timer)
  }
}

function placeOf(task: ThreadTask, { op, at }: Watched, plan: Plan): Place {
  const shard = at.shard ?? (task.kind === 'index' ? task.shard : undefined)
  const uri = shard === undefined ? undefined : plan.shards[shard]?.uri
  return {
    op,
    ...(uri === undefined ? {} : { shard: uri }),
    ...(at.record === undefined ? {} : { record: at.record }),
    ...(task.kind === 'index' ? {} : { epoch: task.epoch }),
    ...(at.batch === undefined ? {} : { batch: at.batch }),
  }
}
