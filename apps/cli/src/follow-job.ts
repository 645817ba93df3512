import { setTimeout as pause } from 'node:timers/promises'
import { StokerError } from '@stoker/spec'
import type { StokerClient } from './client/client.js'
import { isFinished, type JobView } from './client/job-view.js'
import { createDisplay } from './terminal/bars.js'
import { gaugesOf } from './terminal/progress-view.js'

/** An api that restarts is away for less. */
const PATIENCE_MS = 30_000
const RETRY_MS = 500

/**
 * The views of a job that its event stream carries: at once, whenever something changes, and the finished one last.
 * A stream that breaks is opened anew, for half a minute.
 */
export async function* followJob(
  client: StokerClient,
  id: string,
  signal?: AbortSignal,
): AsyncGenerator<JobView, void, undefined> {
  let after: string | undefined
  let lostAt: number | undefined
  while (!signal?.aborted) {
    try {
      const options = { ...(after === undefined ? {} : { after }), ...(signal ? { signal } : {}) }
      for await (const event of client.events(id, options)) {
        lostAt = undefined
        after = event.id ?? after
        if (event.type !== 'job') continue
        const view = event.data as JobView
        yield view
        if (isFinished(view.state)) return
      }
    } catch (error) {
      if (signal?.aborted) return
      lostAt ??= performance.now()
      const isPassing = !(error instanceof StokerError) || error.retryable
      if (!isPassing || performance.now() - lostAt > PATIENCE_MS) throw error
    }
    await pause(RETRY_MS, undefined, signal ? { signal } : {}).catch(() => {})
  }
}

/** Follows with bars on stderr; returns the last view, which is a finished one unless `signal` aborted. */
export async function showJob(client: StokerClient, id: string, signal?: AbortSignal): Promise<JobView | undefined> {
  const display = createDisplay(process.stderr)
  let last: JobView | undefined
  try {
    for await (const view of followJob(client, id, signal)) {
      display.show(view.state, gaugesOf(view))
      last = view
    }
  } finally {
    display.close()
  }
  return last
}
