import type { BatchAt, Counts, Plan } from '@stoker/plan'
import { keys, luaScript, runScript } from '@stoker/queue'
import type { Redis } from 'ioredis'
import { TooManyBadRecords } from './error-table.js'

/** A record that a batch was made without, and why. */
export interface BadRecord {
  readonly shard: string
  readonly record: number
  readonly offset?: number
  readonly code: string
  readonly message: string
  /** Records behind it that are gone with it, estimated, where damage keeps the rest of the shard from being found. */
  readonly lost?: number
  /** The record that stood in for it. */
  readonly standIn?: { readonly shard: string; readonly record: number }
}

/** A line of a job's ledger. Two runs of a job give the same lines, but for `seenAt`. */
export interface LedgerEntry extends BadRecord {
  /** The earliest batch that met it, and when it did (ISO 8601). */
  readonly epoch: number
  readonly batch: number
  readonly seenAt: string
}

/** What a ledger holds: its lines, and the records that are gone with the listed ones. */
export interface BadRecordTotals {
  readonly listed: number
  readonly lost: number
}

/** A job with more bad records than this has another problem than bad records. */
export const MOST_LISTED = 100_000
const LINES_AT_ONCE = 1_000
const ADD = luaScript(new URL('../lua/add-bad-records.lua', import.meta.url))

export async function addBadRecords(
  redis: Redis,
  id: string,
  { epoch, batch }: BatchAt,
  records: readonly BadRecord[],
): Promise<BadRecordTotals> {
  const seenAt = new Date().toISOString()
  let totals: unknown = [0, 0]
  for (let from = 0; from < records.length; from += LINES_AT_ONCE) {
    const lines = records.slice(from, from + LINES_AT_ONCE).flatMap((record) => {
      const entry: LedgerEntry = { ...record, epoch, batch, seenAt }
      return [`${record.shard}#${record.record}`, epoch, batch, record.lost ?? 0, JSON.stringify(entry)]
    })
    totals = await runScript(redis, ADD, [keys.badRecords(id), keys.progress(id)], [MOST_LISTED + 1, ...lines])
  }
  const [listed = 0, lost = 0] = Array.isArray(totals) ? totals.map(Number) : []
  return { listed, lost }
}

export async function badRecordTotals(redis: Redis, id: string): Promise<BadRecordTotals> {
  const [listed, lost] = await Promise.all([
    redis.hlen(keys.badRecords(id)),
    redis.hget(keys.progress(id), 'lostRecords'),
  ])
  return { listed, lost: Number(lost ?? 0) }
}

export async function readBadRecords(redis: Redis, id: string): Promise<LedgerEntry[]> {
  const entries = Object.values(await redis.hgetall(keys.badRecords(id))).map((text) => JSON.parse(text) as LedgerEntry)
  return entries.sort((a, b) => Buffer.compare(Buffer.from(a.shard), Buffer.from(b.shard)) || a.record - b.record)
}

/**
 * Whether a job has more bad records than its spec allows, those that are gone with a shard's damaged rest counted in.
 * Known once all shards are indexed; before that only a full ledger is too many.
 *
 * @throws TooManyBadRecords
 */
export function checkBadRecords({ maxBadFraction }: Plan, counts: Counts, { listed, lost }: BadRecordTotals): void {
  if (listed > MOST_LISTED) throw TooManyBadRecords(listed, 'the records so far', `the longest list of ${MOST_LISTED}`)
  if (counts.some((count) => count === undefined)) return
  const records = counts.reduce<number>((sum, count) => sum + (count ?? 0), 0) + lost
  if (listed + lost > maxBadFraction * records)
    throw TooManyBadRecords(listed + lost, `${records} records`, `maxBadFraction ${maxBadFraction}`)
}
