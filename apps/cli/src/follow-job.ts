import { setTimeout as pause } from 'node:timers/promises'
import type { StokerClient } from './client/client.js'
import { isFinished, type JobView } from './client/job-view.js'
import { ApiUnreachable } from './error-table.js'
import { createDisplay } from './terminal/bars.js'
import { gaugesOf } from './terminal/progress-view.js'

const LOOK_EVERY_MS = 400
/** An api that restarts is away for less. */
const PATIENCE_MS = 30_000

/**
 * The job's view, at once when an event comes and else every 0.4 s, until the job is finished. An api that goes away
 * is waited for, for half a minute.
 */
export async function* followJob(
  client: StokerClient,
  id: string,
  signal?: AbortSignal,
): AsyncGenerator<JobView, void, undefined> {
  const ended = new AbortController()
  const both = signal ? AbortSignal.any([signal, ended.signal]) : ended.signal
  const bell = createBell()
  const listening = listen(client, id, both, bell.ring)
  let answeredAt = performance.now()
  try {
    while (!signal?.aborted) {
      const view = await client.job(id).catch((error: unknown) => {
        if (ApiUnreachable.is(error) && performance.now() - answeredAt < PATIENCE_MS) return undefined
        throw error
      })
      if (view) {
        answeredAt = performance.now()
        yield view
        if (isFinished(view.state)) return
      }
      await Promise.race([bell.rung(), pause(LOOK_EVERY_MS, undefined, { signal: both })]).catch(() => {})
    }
  } finally {
    ended.abort()
    await listening
  }
}

/** Rings for each event, and opens the stream anew when it breaks. The views are polled anyway, so faults stay silent. */
async function listen(client: StokerClient, id: string, signal: AbortSignal, ring: () => void): Promise<void> {
  let after: string | undefined
  while (!signal.aborted) {
    try {
      for await (const event of client.events(id, { signal, ...(after === undefined ? {} : { after }) })) {
        after = event.id ?? after
        if (event.type === 'state') ring()
      }
    } catch {
      // told by the poll, when it lasts
    }
    await pause(1_000, undefined, { signal }).catch(() => {})
  }
}

function createBell(): { ring(): void; rung(): Promise<void> } {
  let ring: () => void = () => {}
  return {
    ring: () => ring(),
    rung: () =>
      new Promise((done) => {
        ring = done
      }),
  }
}

/** Follows with bars on stderr; returns the finished view. */
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
