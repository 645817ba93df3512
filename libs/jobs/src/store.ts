import type { BatchAt, Plan } from '@stoker/plan'
import { createStreamWatcher, keys, luaScript, runScript, wake, withRedisErrors } from '@stoker/queue'
import type { ErrorView } from '@stoker/spec'
import type { Redis } from 'ioredis'
import {
  addBadRecords,
  type BadRecord,
  type BadRecordTotals,
  badRecordTotals,
  type LedgerEntry,
  readBadRecords,
} from './bad-records.js'
import { IdempotencyConflict, JobUnknown, LeaseLost, WrongState } from './error-table.js'
import { type EventOptions, emitEvent, type JobEvent, MOST_EVENTS, readEvents } from './events.js'
import { createLeases, type Leases } from './lease.js'
import {
  childId,
  fromHash,
  type JobRecord,
  type JobResult,
  json,
  type NewChild,
  type NewJob,
  toHash,
} from './record.js'
import { allowedFrom, FINISHED, isFinished, isJobState, type JobState } from './state.js'

export interface StateChange {
  /** States the caller expects; any legal one where not given. */
  readonly from?: readonly JobState[]
  readonly error?: ErrorView
  readonly result?: JobResult
  /** Only while this fencing token is the one of the job's lease. */
  readonly token?: number
}

/** Job records, plans, states, progress and events of all jobs, in Redis. Every method may throw RedisUnavailable. */
export interface JobStore extends Leases {
  /**
   * Writes a new job in state `pending` and makes it live. With an idempotency key that was used before, the job it
   * made then comes back (its id is another than the given one), `created` false. A child is made in the same step:
   * whoever dies on the way leaves both or none.
   *
   * @throws IdempotencyConflict
   */
  create(
    job: NewJob,
    plan: Plan,
    options?: {
      readonly idempotencyKey?: string
      readonly child?: { readonly job: NewChild; readonly plan: Plan } | undefined
    },
  ): Promise<{ readonly record: JobRecord; readonly created: boolean }>
  /** @throws JobUnknown */
  get(id: string): Promise<JobRecord>
  /** @throws JobUnknown */
  plan(id: string): Promise<Plan>
  /** Newest first, without children; `before` is the id of the last job of the page before. */
  list(options?: { readonly limit?: number; readonly before?: string }): Promise<JobRecord[]>
  /**
   * Changes the state, of the child too: a finished job ends it, a paused one pauses it, a resumed one resumes it.
   * A child that fails fails its parent. No change when the job is in that state already, unless `from` excludes it.
   *
   * @throws WrongState, JobUnknown, LeaseLost
   */
  setState(id: string, to: JobState, change?: StateChange): Promise<JobRecord>
  /** Number of records of a shard of the plan. */
  setCount(id: string, shard: number, count: number): Promise<void>
  counts(id: string, shardCount: number): Promise<(number | undefined)[]>
  progress(id: string): Promise<Record<string, number>>
  setProgress(id: string, values: Readonly<Record<string, number>>): Promise<void>
  /** Adds to one number, atomically; returns the sum. */
  bump(id: string, name: string, by: number): Promise<number>
  /** Lists records that a batch was made without; one that is listed already stays, unless this batch comes earlier. */
  addBadRecords(id: string, at: BatchAt, records: readonly BadRecord[]): Promise<BadRecordTotals>
  badRecordTotals(id: string): Promise<BadRecordTotals>
  /** What the job was made without so far, in the order of shards and records. */
  badRecords(id: string): Promise<LedgerEntry[]>
  /** Returns the event's id. */
  emit(id: string, type: string, data: unknown): Promise<string>
  /** @throws JobUnknown */
  events(id: string, options?: EventOptions): AsyncIterable<JobEvent>
  /** Ids of jobs that are not finished, children too, oldest first. */
  live(): Promise<string[]>
  /** Ids of finished jobs, children too, that still have to be cleaned up. */
  ended(): Promise<string[]>
  /** They have been. */
  setCleaned(ids: readonly string[]): Promise<void>
  /** Ends all waits for events. The given connection stays open. */
  close(): void
}

export interface JobStoreOptions {
  /** A finished job is forgotten after this time. */
  readonly keepFinishedMs?: number
}

const CREATE = luaScript(new URL('../lua/create.lua', import.meta.url))
const SET_STATE = luaScript(new URL('../lua/set-state.lua', import.meta.url))

const KEEP_FINISHED_MS = 7 * 24 * 3_600_000
const KEEP_IDEMPOTENCY_MS = 24 * 3_600_000
/** An id without a record is one that is just being created, or, when older, the trace of a creator that died. */
const GHOST_MS = 60_000
const MOST_READY_ENTRIES = 1_000

const listed = (states: readonly JobState[]): string => `,${states.join(',')},`
/** Keys that nobody needs some time after the job is finished. */
const ENDING = [
  ...[keys.job, keys.plan, keys.counts, keys.badRecords, keys.progress, keys.events, keys.fence],
  ...[keys.released, keys.cursor, keys.bufferStats, keys.readyStream],
] as const
const keysOf = (id: string) => ENDING.map((key) => key(id))

/**
 * @param redis of any role; stays the caller's.
 * @param blocking opens a connection of role `blocking`; called when somebody first waits for events.
 */
export function createJobStore(redis: Redis, blocking: () => Redis, options: JobStoreOptions = {}): JobStore {
  const watcher = createStreamWatcher(blocking, redis)
  const keepFinishedMs = options.keepFinishedMs ?? KEEP_FINISHED_MS

  async function find(id: string): Promise<JobRecord | undefined> {
    const hash = await redis.hgetall(keys.job(id))
    return hash.state === undefined ? undefined : fromHash(id, hash)
  }

  async function get(id: string): Promise<JobRecord> {
    const record = await find(id)
    if (!record) throw JobUnknown(id)
    return record
  }

  /** The id under which the key's job is, or shall be, made. */
  async function idFor(job: NewJob, key: string | undefined): Promise<string> {
    if (key === undefined) return job.id
    const entry = `${job.id} ${job.specHash}`
    if (await redis.set(keys.idempotency(key), entry, 'PX', KEEP_IDEMPOTENCY_MS, 'NX')) return job.id
    const [id = job.id, specHash] = ((await redis.get(keys.idempotency(key))) ?? entry).split(' ')
    if (specHash !== job.specHash) throw IdempotencyConflict(key, id)
    return id
  }

  const create: JobStore['create'] = async (job, plan, { idempotencyKey, child } = {}) => {
    const id = await idFor(job, idempotencyKey)
    const now = new Date()
    const at = now.toISOString()
    const state = { state: 'pending', createdAt: at, updatedAt: at } as const
    const record: JobRecord = { ...job, id, ...state }
    const childRecord: JobRecord | undefined = child && { ...child.job, id: childId(id), parent: id, ...state }
    const ids = [id, ...(childRecord ? [childRecord.id] : [])]
    // Indexes first: a creator that dies leaves an id without a record, which readers skip, and never a hidden job.
    await redis.zadd(keys.live, 'NX', ...ids.flatMap((one) => [now.getTime(), one]))
    await redis.zadd(keys.jobs, 'NX', now.getTime(), id)
    const fields = Object.entries(toHash(record)).flat()
    const code = await runScript(
      redis,
      CREATE,
      ids.flatMap((one) => [keys.job(one), keys.plan(one), keys.events(one)]),
      [
        ...[JSON.stringify(plan), child ? JSON.stringify(child.plan) : '', MOST_EVENTS],
        ...[JSON.stringify({ state: record.state }), fields.length, ...fields],
        ...(childRecord ? Object.entries(toHash(childRecord)).flat() : []),
      ],
    )
    for (const one of ids) await wake(redis, one)
    return { record: code === 1 ? record : await get(id), created: code === 1 }
  }

  const setState: JobStore['setState'] = async (id, to, change = {}) => {
    const { from, error, result, token } = change
    const child = childId(id)
    const answer = await runScript(
      redis,
      SET_STATE,
      [
        ...[keys.job(id), keys.events(id), keys.readyStream(id), keys.lease(id)],
        ...[keys.job(child), keys.events(child), keys.readyStream(child)],
        ...[...keysOf(id), ...keysOf(child)],
      ],
      [
        ...[to, new Date().toISOString(), listed(allowedFrom(to, from)), listed(FINISHED)],
        ...[error ? JSON.stringify(error) : '', result ? JSON.stringify(result) : ''],
        ...[MOST_EVENTS, keepFinishedMs, token ?? '', MOST_READY_ENTRIES],
      ],
    )
    const [outcome, state] = Array.isArray(answer) ? answer.map(String) : []
    if (outcome === 'unknown') throw JobUnknown(id)
    if (outcome === 'stale') throw LeaseLost(id)
    const isThere = state === to && (from === undefined || from.includes(to))
    if (outcome === 'wrong' && !isThere) throw WrongState(id, state ?? '', to)
    if (isFinished(to)) {
      // In this order: whoever dies in between leaves a job to be looked at, never one that nobody cleans up.
      await redis.zadd(keys.ended, Date.now(), id, Date.now(), child)
      await redis.zrem(keys.live, id, child)
    }
    await wake(redis, id)
    const record = await get(id)
    if (to === 'failed' && record.parent) await failParent(record.parent, error)
    return record
  }

  async function failParent(parent: string, error: ErrorView | undefined): Promise<void> {
    try {
      await setState(parent, 'failed', error ? { error } : {})
    } catch (fault) {
      // It has ended in another way, which ended this child as well.
      if (!WrongState.is(fault) && !JobUnknown.is(fault)) throw fault
    }
  }

  /** Ids from an index with their states; ids without a record are cleaned away once they are old. */
  async function withoutGhosts(index: string, ids: readonly string[], states: readonly unknown[]): Promise<string[]> {
    const kept: string[] = []
    for (const [position, id] of ids.entries()) {
      if (states[position]) kept.push(id)
      else if (Date.now() - Number((await redis.zscore(index, id)) ?? 0) > GHOST_MS) await redis.zrem(index, id)
    }
    return kept
  }

  const store: JobStore = {
    ...createLeases(redis),
    create,
    get,
    setState,
    plan: async (id) => {
      const plan = await redis.get(keys.plan(id))
      if (plan === null) throw JobUnknown(id)
      return json<Plan>(id, plan)
    },
    list: async ({ limit = 50, before } = {}) => {
      const rank = before === undefined ? -1 : await redis.zrevrank(keys.jobs, before)
      if (rank === null) throw JobUnknown(before ?? '')
      const ids = await redis.zrevrange(keys.jobs, rank + 1, rank + limit)
      const records = await Promise.all(ids.map(find))
      await withoutGhosts(keys.jobs, ids, records)
      return records.filter((record) => record !== undefined)
    },
    live: async () => {
      const ids = await redis.zrange(keys.live, 0, -1)
      const states = await Promise.all(ids.map((id) => redis.hget(keys.job(id), 'state')))
      const done = ids.filter((_, position) => {
        const state = states[position]
        return isJobState(state) && isFinished(state)
      })
      if (done.length > 0) {
        await redis.zadd(keys.ended, ...done.flatMap((id) => [Date.now(), id]))
        await redis.zrem(keys.live, ...done)
      }
      const known = await withoutGhosts(keys.live, ids, states)
      return known.filter((id) => !done.includes(id))
    },
    ended: () => redis.zrange(keys.ended, 0, -1),
    setCleaned: async (ids) => {
      if (ids.length > 0) await redis.zrem(keys.ended, ...ids)
    },
    setCount: async (id, shard, count) => {
      await redis.hset(keys.counts(id), shard, count)
    },
    counts: async (id, shardCount) => {
      const counts = await redis.hgetall(keys.counts(id))
      return Array.from({ length: shardCount }, (_, shard) => {
        const count = counts[shard]
        return count === undefined ? undefined : Number(count)
      })
    },
    progress: async (id) => {
      const values = await redis.hgetall(keys.progress(id))
      return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Number(value)]))
    },
    setProgress: async (id, values) => {
      if (Object.keys(values).length > 0) await redis.hset(keys.progress(id), values)
    },
    addBadRecords: (id, at, records) => addBadRecords(redis, id, at, records),
    badRecordTotals: (id) => badRecordTotals(redis, id),
    badRecords: (id) => readBadRecords(redis, id),
    bump: async (id, name, by) => Number(await redis.hincrbyfloat(keys.progress(id), name, by)),
    emit: (id, type, data) => emitEvent(redis, id, type, data),
    events: (id, eventOptions = {}) => readEvents(redis, watcher, id, eventOptions),
    close: () => watcher.close(),
  }
  return withRedisErrors(redis, store)
}
