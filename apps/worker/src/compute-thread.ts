import { workerData } from 'node:worker_threads'
import { loadOps, watchOps } from '@stoker/ops'
import { toStokerError } from '@stoker/spec'
import { openTaskRunner } from './task-runner.js'
import type { ThreadJob, ThreadOutcome, ThreadSetup } from './thread-protocol.js'

/*
 * One compute thread. Everything that takes CPU time for long happens here, with a Redis connection and a page cache of
 * the thread's own: batches go from here straight into the buffer, and the main thread's event loop, which renews the
 * locks of tasks, never computes.
 */
const { config, cacheBytes } = workerData as ThreadSetup
await loadOps(config.ops, { timeoutMs: config.opTimeoutMs })
const runner = openTaskRunner(config, cacheBytes)

/** Answer to the pool's question whether this thread is up. */
const IDLE: ThreadOutcome = { ok: true, batches: 0, busyMs: 0 }

export default async function runTask(job: ThreadJob | null): Promise<ThreadOutcome> {
  if (job === null) return IDLE
  try {
    watchOps(job.watch)
    return { ok: true, ...(await runner.run(job.task)) }
  } catch (error) {
    return { ok: false, error: toStokerError(error).toJSON() }
  }
}
