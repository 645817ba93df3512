import { keys, type StreamWatcher } from '@stoker/queue'
import type { Redis } from 'ioredis'
import { JobUnknown } from './error-table.js'
import { json } from './record.js'
import { isFinished, isJobState } from './state.js'

/** An event of a job. `state` events carry {state, from?, error?, result?}. */
export interface JobEvent {
  /** Id in the stream: what a client sends back as Last-Event-ID. */
  readonly id: string
  readonly type: string
  readonly data: unknown
}

export interface EventOptions {
  /** Id of the last event that is known; from the start where not given. */
  readonly after?: string | undefined
  /** Ends after so many ms without an event; never where not given. */
  readonly block?: number | undefined
  /** Ends quietly when it aborts. */
  readonly signal?: AbortSignal | undefined
}

export const MOST_EVENTS = 10_000

export async function emitEvent(redis: Redis, id: string, type: string, data: unknown): Promise<string> {
  const entry = ['type', type, 'data', JSON.stringify(data ?? null)]
  return (await redis.xadd(keys.events(id), 'MAXLEN', '~', MOST_EVENTS, '*', ...entry)) ?? ''
}

/**
 * The job's events in order, past ones and then new ones as they come; ends with the event that finishes the job.
 * A lost connection to Redis only delays it.
 */
export async function* readEvents(
  redis: Redis,
  watcher: StreamWatcher,
  id: string,
  { after = '0-0', block, signal }: EventOptions,
): AsyncGenerator<JobEvent, void, undefined> {
  const stream = keys.events(id)
  const state = await redis.hget(keys.job(id), 'state')
  if (!isJobState(state)) throw JobUnknown(id)
  // The finishing event is written together with the state: when nothing comes after `after`, it was seen before.
  if (isFinished(state) && (await redis.xrange(stream, `(${after}`, '+', 'COUNT', 1)).length === 0) return

  let last = after
  while (!signal?.aborted) {
    const entries = await watcher.next(stream, last, { waitMs: block, signal }).catch((error: unknown) => {
      if (signal?.aborted) return []
      throw error
    })
    if (entries.length === 0) return
    for (const { id: entryId, fields } of entries) {
      const event = { id: entryId, type: fields.type ?? '', data: json<unknown>(id, fields.data ?? 'null') }
      yield event
      last = entryId
      if (finishes(event)) return
    }
  }
}

function finishes({ type, data }: JobEvent): boolean {
  if (type !== 'state' || typeof data !== 'object' || data === null || !('state' in data)) return false
  return isJobState(data.state) && isFinished(data.state)
}
