import { randomUUID } from 'node:crypto'
import type { Redis } from 'ioredis'
import { keys } from './keys.js'
import { toRedisError } from './redis-error.js'

/*
 * Waiting for entries of many streams on one connection.
 *
 * A waiter names a stream and the last id it knows; since the id was read before whatever made it wait was checked, no
 * entry falls in between. One blocked XREAD covers the streams of all waiters. When a waiter comes with a stream that
 * the blocked read does not cover, an entry in the reader's own nudge stream ends that read, and the next one covers it.
 * What the blocked read brings before that is not for this waiter: entries between its id and the read's would be missing.
 * No waiter: no read. A lost connection costs nothing: the read is sent again with the same ids. The BLOCK time is not a
 * poll: it only makes a dead line visible, see the `blocking` role in connect.ts.
 */

const BLOCK_MS = 5_000
const MOST_ENTRIES = 500
const NUDGE_LIVES_MS = 60_000
const IDLE_MS = 10_000

export interface StreamEntry {
  readonly id: string
  readonly fields: Readonly<Record<string, string>>
}

export interface StreamWatcher {
  /**
   * Entries of `stream` after the id `after`, at least one; [] when `waitMs` have passed.
   *
   * @throws the signal's reason when it aborts; RedisRefused and other faults that waiting does not cure.
   */
  next(
    stream: string,
    after: string,
    options?: { readonly waitMs?: number | undefined; readonly signal?: AbortSignal | undefined },
  ): Promise<readonly StreamEntry[]>
  /** Ends all waits with an empty answer and closes the reader's connection. */
  close(): void
}

interface Waiter {
  readonly stream: string
  readonly after: string
  readonly give: (entries: readonly StreamEntry[]) => void
  readonly fail: (error: unknown) => void
}

/**
 * On a cluster one read covers streams of one slot only, so there is a reader for each job; see `perTag`.
 *
 * @param blocking opens a connection of the role `blocking` when the first waiter comes.
 */
export function createStreamWatcher(blocking: () => Redis, command: Redis): StreamWatcher {
  return command.isCluster ? perTag((tag) => oneReader(blocking, command, tag)) : oneReader(blocking, command)
}

interface HeldWatcher {
  readonly watcher: StreamWatcher
  waits: number
  /** Runs while nobody waits. */
  idle: NodeJS.Timeout | undefined
}

/** A watcher for each hash tag, as long as somebody waits on it and a little longer: who waits for one entry after the
 * other comes back at once. */
function perTag(open: (tag: string) => StreamWatcher): StreamWatcher {
  const watchers = new Map<string, HeldWatcher>()
  let isClosed = false

  function holdFor(tag: string): HeldWatcher {
    const held = watchers.get(tag) ?? { watcher: open(tag), waits: 0, idle: undefined }
    watchers.set(tag, held)
    held.waits++
    clearTimeout(held.idle)
    return held
  }

  function leave(tag: string, held: HeldWatcher): void {
    held.waits--
    if (held.waits > 0 || isClosed) return
    held.idle = setTimeout(() => {
      watchers.delete(tag)
      held.watcher.close()
    }, IDLE_MS)
  }

  return {
    async next(stream, after, options) {
      if (isClosed) return []
      const tag = /\{(.+?)\}/.exec(stream)?.[1] ?? stream
      const held = holdFor(tag)
      try {
        return await held.watcher.next(stream, after, options)
      } finally {
        leave(tag, held)
      }
    },
    close() {
      isClosed = true
      for (const { watcher, idle } of watchers.values()) {
        clearTimeout(idle)
        watcher.close()
      }
    },
  }
}

function oneReader(blocking: () => Redis, command: Redis, tag?: string): StreamWatcher {
  const nudgeStream = keys.nudge(randomUUID(), tag)
  const waiters = new Set<Waiter>()
  let reader: Redis | undefined
  let nudgeAfter = '0-0'
  /** What the blocked read covers: stream -> id. */
  let covered = new Map<string, string>()
  let isReading = false
  let isClosed = false

  const wanted = (): Map<string, string> => {
    const streams = new Map<string, string>()
    for (const { stream, after } of waiters) {
      const known = streams.get(stream)
      if (known === undefined || compareIds(after, known) < 0) streams.set(stream, after)
    }
    return streams
  }

  async function readWhileWanted(): Promise<void> {
    isReading = true
    try {
      while (waiters.size > 0 && !isClosed) {
        reader ??= blocking()
        covered = wanted()
        const streams = [nudgeStream, ...covered.keys()]
        const ids = [nudgeAfter, ...covered.values()]
        const reply = await reader.call(
          ...(['XREAD', 'COUNT', MOST_ENTRIES, 'BLOCK', BLOCK_MS, 'STREAMS'] as [string, ...(string | number)[]]),
          ...streams,
          ...ids,
        )
        deliver(parseReply(reply))
      }
    } catch (error) {
      for (const waiter of waiters)
        isClosed ? waiter.give([]) : waiter.fail(reader ? toRedisError(error, reader) : error)
    } finally {
      isReading = false
      covered = new Map()
    }
  }

  function deliver(reply: ReadonlyMap<string, readonly StreamEntry[]>): void {
    nudgeAfter = reply.get(nudgeStream)?.at(-1)?.id ?? nudgeAfter
    for (const waiter of waiters) {
      if (!isCovered(waiter)) continue
      const news = reply.get(waiter.stream)?.filter(({ id }) => compareIds(id, waiter.after) > 0) ?? []
      if (news.length > 0) waiter.give(news)
    }
  }

  /** The read that is under way starts at this waiter's id, or before. */
  function isCovered({ stream, after }: Waiter): boolean {
    const from = covered.get(stream)
    return from !== undefined && compareIds(from, after) <= 0
  }

  function startOrNudge(waiter: Waiter): void {
    if (!isReading) {
      void readWhileWanted()
      return
    }
    if (isCovered(waiter)) return
    // When this fails, the read still ends by its BLOCK time.
    command.xadd(nudgeStream, 'MAXLEN', 1, '*', 'n', '1').catch(() => {})
    command.pexpire(nudgeStream, NUDGE_LIVES_MS).catch(() => {})
  }

  return {
    next: (stream, after, { waitMs, signal } = {}) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason)
        if (isClosed || waitMs === 0) return resolve([])
        const timer = waitMs === undefined ? undefined : setTimeout(() => waiter.give([]), waitMs)
        const onAbort = () => waiter.fail(signal?.reason)
        const leave = () => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', onAbort)
          waiters.delete(waiter)
        }
        const waiter: Waiter = {
          stream,
          after,
          give: (entries) => {
            leave()
            resolve(entries)
          },
          fail: (error) => {
            leave()
            reject(error)
          },
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        waiters.add(waiter)
        startOrNudge(waiter)
      }),
    close() {
      isClosed = true
      for (const waiter of waiters) waiter.give([])
      reader?.disconnect()
    },
  }
}

/** Order of stream ids `<ms>-<seq>`. */
export function compareIds(a: string, b: string): number {
  const [aMs = '0', aSeq = '0'] = a.split('-')
  const [bMs = '0', bSeq = '0'] = b.split('-')
  return Number(aMs) - Number(bMs) || Number(aSeq) - Number(bSeq)
}

/** Reads entries as XRANGE and XREAD give them: [[id, [name, value, ...]], ...]. */
export function parseEntries(reply: unknown): StreamEntry[] {
  if (!Array.isArray(reply)) return []
  return reply.flatMap((entry: unknown) => {
    if (!Array.isArray(entry) || !Array.isArray(entry[1])) return []
    const pairs: unknown[] = entry[1]
    const fields: Record<string, string> = {}
    for (let i = 0; i + 1 < pairs.length; i += 2) fields[String(pairs[i])] = String(pairs[i + 1])
    return [{ id: String(entry[0]), fields }]
  })
}

function parseReply(reply: unknown): Map<string, readonly StreamEntry[]> {
  const streams: unknown[] = Array.isArray(reply) ? reply : []
  return new Map(streams.map((pair) => (Array.isArray(pair) ? [String(pair[0]), parseEntries(pair[1])] : ['', []])))
}
