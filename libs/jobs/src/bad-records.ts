import type { BatchAt } from '@stoker/plan'
import { keys } from '@stoker/queue'
import type { Redis } from 'ioredis'

/** A record that a batch was made without, and why. */
export interface BadRecord {
  readonly shard: string
  readonly record: number
  readonly offset?: number
  readonly code: string
  readonly message: string
}

/** A line of a job's ledger. Two runs of a job give the same lines, but for who saw a record first. */
export interface LedgerEntry extends BadRecord {
  /** Batch that first met it, and when (ISO 8601). */
  readonly epoch: number
  readonly batch: number
  readonly seenAt: string
}

// A job with more bad records than this has another problem than bad records; the count goes on.
const MOST_LISTED = 100_000

export async function addBadRecords(
  redis: Redis,
  id: string,
  { epoch, batch }: BatchAt,
  records: readonly BadRecord[],
): Promise<void> {
  if (records.length === 0) return
  const key = keys.badRecords(id)
  const room = MOST_LISTED - (await redis.hlen(key))
  const seenAt = new Date().toISOString()
  for (const record of records.slice(0, Math.max(0, room))) {
    const entry: LedgerEntry = { ...record, epoch, batch, seenAt }
    await redis.hsetnx(key, `${record.shard}#${record.record}`, JSON.stringify(entry))
  }
}

export async function readBadRecords(redis: Redis, id: string): Promise<LedgerEntry[]> {
  const entries = Object.values(await redis.hgetall(keys.badRecords(id))).map((text) => JSON.parse(text) as LedgerEntry)
  return entries.sort((a, b) => Buffer.compare(Buffer.from(a.shard), Buffer.from(b.shard)) || a.record - b.record)
}
