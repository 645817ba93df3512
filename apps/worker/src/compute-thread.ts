import { workerData } from 'node:worker_threads'
import { toStokerError } from '@stoker/spec'
import { openTaskRunner } from './task-runner.js'
import type { ThreadOutcome, ThreadSetup, ThreadTask } from './thread-protocol.js'

/*
 * One compute thread. Everything that takes CPU time for long happens here, with a Redis connection and a page cache of
 * the thread's own: batches go from here straight into the buffer, and the main thread's event loop, which renews the
 * locks of tasks, never computes.
 */
const { config, cacheBytes } = workerData as ThreadSetup
const runner = openTaskRunner(config, cacheBytes)

/** Answer to the pool's question whether this thread is up. */
const IDLE: ThreadOutcome = { ok: true, batches: 0, busyMs: 0 }

export default async function runTask(task: ThreadTask | null): Promise<ThreadOutcome> {
  if (task === null) return IDLE
  try {
    return { ok: true, ...(await runner.run(task)) }
  } catch (error) {
    return { ok: false, error: toStokerError(error).toJSON() }
  }
}
