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

export default async function runTask(task: ThreadTask): Promise<ThreadOutcome> {
  try {
    return { ok: true, ...(await runner.run(task)) }
  } catch (error) {
    return { ok: false, error: toStokerError(error).toJSON() }
  }
}
