import { FINISHED, JobUnknown } from '@stoker/jobs'
import { createStreamWatcher, keys, luaScript, runScript, withRedisErrors } from '@stoker/queue'
import type { Redis } from 'ioredis'
import { BatchNotStored, JobEnded } from './error-table.js'
import { createPreviews, type Previews } from './preview.js'

/*
 * Made batches between their makers and the one consumer of a job, in Redis.
 *
 *   absent --SET, expires--> written --commit--> ready --cursor passes, or drop--> freed
 *
 * Bytes are written by a plain SET under a key that expires, then a small script makes them a batch: it wins, or finds
 * that a twin won, that the consumer is past it, or that the job has ended. So a writer that dies in between leaves
 * nothing for long, and a batch that is ready stays until the cursor passes it.
 *
 * How much may be ready is not decided here: the coordinator releases tasks only while their batches fit the job's
 * byte budget, and a writer never waits. Empty means that `take` waits for an entry in the job's ready stream: the id
 * after which it waits is read together with the answer that the batch is not there, so that no put falls in between.
 * A rewound cursor finds what is still there and the rest is released again; equal batches have equal bytes.
 *
 * Lost when Redis dies without its append-only file: ready batches, which the coordinator then releases again.
 */

export type PutOutcome = 'stored' | 'duplicate' | 'behind' | 'refused'

/** First batch not consumed. */
export interface Cursor {
  readonly epoch: number
  readonly batch: number
}

export interface WaitOptions {
  /** Undefined: without limit. */
  readonly waitMs?: number | undefined
  readonly signal?: AbortSignal | undefined
}

export interface BufferStats {
  readonly readyBatches: number
  readonly readyBytes: number
  /** Batches stored since the start, and their bytes. */
  readonly puts: number
  readonly putBytes: number
  /** Batches that came when a twin had been stored, when the cursor was past them, when the job had ended. */
  readonly duplicates: number
  readonly behind: number
  readonly refused: number
  /** Batches freed by cursor or drop; batches whose bytes vanished; times that the cursor moved back. */
  readonly freed: number
  readonly lost: number
  readonly rewinds: number
}

/** Every method may throw RedisUnavailable or RedisFull. */
export interface BatchBuffer extends Previews {
  /** Stores a batch; the first writer wins. @throws BatchNotStored when the line is too slow */
  put(job: string, epoch: number, batch: number, bytes: Uint8Array): Promise<PutOutcome>
  /** Of batches [firstBatch, firstBatch + count), those a maker still has to put: not ready, not behind, job not ended. */
  missing(job: string, epoch: number, firstBatch: number, count: number): Promise<number[]>
  /**
   * Waits for one batch, whatever the cursor says; undefined when `waitMs` have passed. Consumes nothing. Notes the
   * wish, see `wanted`. Behind the cursor there is nothing to wait for: move it back first.
   *
   * @throws JobEnded when the job ends before, JobUnknown, the signal's reason
   */
  take(job: string, epoch: number, batch: number, options?: WaitOptions): Promise<Uint8Array | undefined>
  /** The batch if it is ready; notes no wish. */
  peek(job: string, epoch: number, batch: number): Promise<Uint8Array | undefined>
  /** All before the cursor is consumed: frees it, wakes the coordinator. Moved back, it rewinds. @throws JobUnknown */
  setCursor(job: string, cursor: Cursor): Promise<void>
  cursor(job: string): Promise<Cursor>
  /** What a consumer waits for, and since when (ms); undefined when it has it. */
  wanted(job: string): Promise<(Cursor & { readonly since: number }) | undefined>
  /** In order. */
  ready(job: string): Promise<(Cursor & { readonly bytes: number })[]>
  stats(job: string): Promise<BufferStats>
  /** Frees these batches, which then count as not made; returns how many were ready. */
  discard(job: string, batches: readonly Cursor[]): Promise<number>
  /** Frees all batches of the job; returns how many. */
  drop(job: string): Promise<number>
  /** Ends all waits. The given connection stays open. */
  close(): void
}

const COMMIT = luaScript(new URL('../lua/commit.lua', import.meta.url))
const WANT = luaScript(new URL('../lua/want.lua', import.meta.url))
const SET_CURSOR = luaScript(new URL('../lua/set-cursor.lua', import.meta.url))
const FORGET = luaScript(new URL('../lua/forget.lua', import.meta.url))
const DISCARD = luaScript(new URL('../lua/discard.lua', import.meta.url))
const DROP = luaScript(new URL('../lua/drop.lua', import.meta.url))

/** Bytes without a commit expire after this time. */
const UNCOMMITTED_MS = 60_000
const PUT_TRIES = 3
const MOST_READY_ENTRIES = 1_000
const FINISHED_LIST = `,${FINISHED.join(',')},`
const OUTCOMES = ['stored', 'duplicate', 'behind', 'refused'] as const
const COUNTERS = [
  'readyBytes',
  'puts',
  'putBytes',
  'duplicates',
  'behind',
  'refused',
  'freed',
  'lost',
  'rewinds',
] as const

/** Member of the sorted set: the order of texts is the order of (epoch, batch). */
const memberOf = (epoch: number, batch: number): string =>
  `${String(epoch).padStart(16, '0')}:${String(batch).padStart(16, '0')}`

/**
 * @param redis of any role; stays the caller's. Payloads of `put` and `take` travel on it.
 * @param blocking opens a connection of role `blocking`; called when somebody first waits.
 */
export function createBatchBuffer(options: { readonly redis: Redis; readonly blocking: () => Redis }): BatchBuffer {
  const { redis } = options
  const watcher = createStreamWatcher(options.blocking, redis)

  async function put(job: string, epoch: number, batch: number, bytes: Uint8Array): Promise<PutOutcome> {
    const payload = keys.payload(job, epoch, batch)
    const value = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let tries = 0; tries < PUT_TRIES; tries++) {
      // Both leave at once, in this order. NX: bytes that are there already are the same, and may be committed.
      const [, outcome] = await Promise.all([
        redis.set(payload, value, 'PX', UNCOMMITTED_MS, 'NX'),
        runScript(
          redis,
          COMMIT,
          [
            ...[keys.job(job), keys.cursor(job), keys.ready(job), keys.sizes(job), keys.bufferStats(job)],
            ...[keys.readyStream(job), payload],
          ],
          [epoch, batch, memberOf(epoch, batch), FINISHED_LIST, MOST_READY_ENTRIES],
        ),
      ])
      const known = OUTCOMES.find((name) => name === outcome)
      if (known) return known
    }
    throw BatchNotStored(batch, epoch).with({ place: { epoch, batch } })
  }

  async function take(
    job: string,
    epoch: number,
    batch: number,
    { waitMs, signal }: WaitOptions = {},
  ): Promise<Uint8Array | undefined> {
    const deadline = waitMs === undefined ? undefined : performance.now() + waitMs
    const payload = keys.payload(job, epoch, batch)
    for (;;) {
      signal?.throwIfAborted()
      // The bytes are asked for in the same go: a batch that is ready costs one round trip.
      const [answer, bytes] = await Promise.all([want(job, epoch, batch), redis.getBuffer(payload)])
      if (answer[0] === 'unknown') throw JobUnknown(job)
      if (answer[0] === 'ended') throw JobEnded(job, answer[1] ?? '')
      if (answer[0] === 'ready') {
        const found = bytes ?? (await redis.getBuffer(payload))
        if (found) return found
        await forget(job, epoch, batch)
        continue
      }
      const isNews = await waitFor(job, answer[1] ?? '0-0', { epoch, batch }, deadline, signal)
      if (!isNews) return undefined
    }
  }

  async function want(job: string, epoch: number, batch: number): Promise<string[]> {
    const answer = await runScript(
      redis,
      WANT,
      [keys.job(job), keys.cursor(job), keys.ready(job), keys.readyStream(job)],
      [epoch, batch, memberOf(epoch, batch), Date.now(), keys.wake, job, FINISHED_LIST],
    )
    return Array.isArray(answer) ? answer.map(String) : []
  }

  /** Waits for an entry that says that the batch is there, or that the job has ended; false when time is over. */
  async function waitFor(
    job: string,
    after: string,
    { epoch, batch }: Cursor,
    deadline: number | undefined,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    let last = after
    for (;;) {
      const waitMs = deadline === undefined ? undefined : Math.max(0, deadline - performance.now())
      const entries = await watcher.next(keys.readyStream(job), last, { waitMs, signal })
      if (entries.length === 0) return false
      last = entries.at(-1)?.id ?? last
      const isNews = entries.some(
        ({ fields }) =>
          fields.kind === 'end' ||
          (fields.kind === 'batch' && Number(fields.epoch) === epoch && Number(fields.batch) === batch),
      )
      if (isNews) return true
    }
  }

  const forget = (job: string, epoch: number, batch: number) =>
    runScript(
      redis,
      FORGET,
      [keys.ready(job), keys.sizes(job), keys.bufferStats(job), keys.payload(job, epoch, batch)],
      [memberOf(epoch, batch)],
    )

  async function cursor(job: string): Promise<Cursor> {
    const [epoch, batch] = await redis.hmget(keys.cursor(job), 'epoch', 'batch')
    return { epoch: Number(epoch ?? 0), batch: Number(batch ?? 0) }
  }

  async function peek(job: string, epoch: number, batch: number): Promise<Uint8Array | undefined> {
    const [score, bytes] = await Promise.all([
      redis.zscore(keys.ready(job), memberOf(epoch, batch)),
      redis.getBuffer(keys.payload(job, epoch, batch)),
    ])
    return score === null ? undefined : (bytes ?? undefined)
  }

  const buffer: BatchBuffer = {
    ...createPreviews(redis, watcher, peek),
    put,
    take,
    peek,
    cursor,
    missing: async (job, epoch, firstBatch, count) => {
      const batches = Array.from({ length: count }, (_, index) => firstBatch + index)
      const [state, at, scores] = await Promise.all([
        redis.hget(keys.job(job), 'state'),
        cursor(job),
        redis.zmscore(keys.ready(job), ...batches.map((batch) => memberOf(epoch, batch))),
      ])
      if (state === null || FINISHED.some((finished) => finished === state)) return []
      return batches.filter((batch, index) => {
        const isBehind = epoch < at.epoch || (epoch === at.epoch && batch < at.batch)
        return !isBehind && scores[index] === null
      })
    },
    setCursor: async (job, { epoch, batch }) => {
      const freed = await runScript(
        redis,
        SET_CURSOR,
        [keys.job(job), keys.cursor(job), keys.ready(job), keys.sizes(job), keys.bufferStats(job)],
        [epoch, batch, memberOf(epoch, batch), keys.payloadPrefix(job), keys.wake, job],
      )
      if (freed === null) throw JobUnknown(job)
    },
    wanted: async (job) => {
      const names = ['wantedEpoch', 'wantedBatch', 'wantedAt'] as const
      const [epoch, batch, since] = await redis.hmget(keys.cursor(job), ...names)
      return epoch && batch ? { epoch: Number(epoch), batch: Number(batch), since: Number(since ?? 0) } : undefined
    },
    ready: async (job) => {
      const members = await redis.zrange(keys.ready(job), 0, -1)
      if (members.length === 0) return []
      const sizes = await redis.hmget(keys.sizes(job), ...members)
      return members.map((member, index) => {
        const [epoch, batch] = member.split(':').map(Number)
        return { epoch: epoch ?? 0, batch: batch ?? 0, bytes: Number(sizes[index] ?? 0) }
      })
    },
    stats: async (job) => {
      const [readyBatches, values] = await Promise.all([
        redis.zcard(keys.ready(job)),
        redis.hmget(keys.bufferStats(job), ...COUNTERS),
      ])
      const [readyBytes = 0, puts = 0, putBytes = 0, duplicates = 0, behind = 0, ...rest] = values.map(Number)
      const [refused = 0, freed = 0, lost = 0, rewinds = 0] = rest
      return { readyBatches, readyBytes, puts, putBytes, duplicates, behind, refused, freed, lost, rewinds }
    },
    discard: async (job, batches) => {
      if (batches.length === 0) return 0
      const payloads = batches.map(({ epoch, batch }) => keys.payload(job, epoch, batch))
      const members = batches.map(({ epoch, batch }) => memberOf(epoch, batch))
      const own = [keys.ready(job), keys.sizes(job), keys.bufferStats(job)]
      return Number(await runScript(redis, DISCARD, [...own, ...payloads], members))
    },
    drop: async (job) =>
      Number(
        await runScript(
          redis,
          DROP,
          [keys.ready(job), keys.sizes(job), keys.bufferStats(job)],
          [keys.payloadPrefix(job)],
        ),
      ),
    close: () => watcher.close(),
  }
  return withRedisErrors(redis, buffer)
}
