import { type BatchBuffer, BatchCorrupt, decodeBatch } from '@stoker/buffer'
import type { BatchAt } from '@stoker/plan'
import { CursorMover } from './cursor-mover.js'
import type { FeedOrder } from './feed-order.js'
import type { RingWriter } from './ring-writer.js'

/*
 * Batches from Redis into shared memory, ahead of need, in the order in which the engine will ask for them: an epoch of
 * the training feed, then the same epoch of the validation feed, and so on.
 *
 *   made (Redis) --take, check--> held --free slot--> in the ring --cursor moves--> freed in Redis
 *
 * Bounds: TAKES_AHEAD batches held, and the ring. Ring full: nothing more is taken, the cursor stands, nothing more is
 * released. Ring empty: the engine waits. A batch in the ring counts as consumed; if this process dies, the next
 * trainer sets the cursor back to its checkpoint, and what was consumed since then is made again.
 */

export interface FeederParts {
  readonly buffer: BatchBuffer
  readonly train: FeedOrder
  readonly validation: FeedOrder | undefined
  readonly ring: RingWriter
  /** First batch to train on. */
  readonly from: BatchAt
  readonly signal: AbortSignal
}

/** Hides the round trip to Redis; more would only hold more memory. */
const TAKES_AHEAD = 2
/** While shards are being indexed the epoch's end is not known, and the batch waited for may not exist. */
const LOOK_FOR_COUNTS_MS = 1_000
/** A batch whose bytes are damaged is made again this often. */
const DAMAGE_TRIES = 2

/** Resolves when the last epoch lies in the ring. @throws JobEnded, JobUnknown, the signal's reason, faults of Redis */
export async function feedJob(parts: FeederParts): Promise<void> {
  const { train, validation, from } = parts
  const feeds = [train, ...(validation ? [validation] : [])]
  const movers = new Map(feeds.map(({ id }) => [id, new CursorMover((at) => parts.buffer.setCursor(id, at))]))
  for (let { epoch, batch } = from; epoch < train.plan.order.epochs; epoch++, batch = 0) {
    for (const feed of feeds) {
      const mover = movers.get(feed.id) as CursorMover
      await feedEpoch(parts, feed, mover, { epoch, batch: feed === train ? batch : 0 })
    }
  }
  for (const mover of movers.values()) await mover.settled()
}

async function feedEpoch(parts: FeederParts, feed: FeedOrder, mover: CursorMover, from: BatchAt): Promise<void> {
  const { ring, buffer, signal } = parts
  const { epoch } = from
  const pending: Promise<Uint8Array | undefined>[] = []
  for (let { batch } = from; ; ) {
    const total = feed.batchesIn(epoch)
    if (total !== undefined && batch >= total) return await ring.endEpoch({ epoch, batch })
    const ahead = total === undefined ? 1 : Math.min(TAKES_AHEAD, total - batch)
    while (pending.length < ahead) {
      const waitMs = total === undefined ? LOOK_FOR_COUNTS_MS : undefined
      const take = buffer.take(feed.id, epoch, batch + pending.length, { waitMs, signal })
      take.catch(() => {}) // an earlier one fails first when the job ends
      pending.push(take)
    }
    const taken = await pending.shift()
    if (taken) {
      const at = { epoch, batch }
      await ring.put(at, await undamaged(parts, feed.id, at, taken))
      batch++
      mover.move({ epoch, batch })
    }
    if (total === undefined) await feed.refresh()
  }
}

/** The batch, its CRC checked here so that the engine thread need not. One that is damaged is dropped and made again. */
async function undamaged({ buffer, signal }: FeederParts, feed: string, at: BatchAt, taken: Uint8Array) {
  let bytes = taken
  for (let tries = 0; ; tries++) {
    try {
      decodeBatch(bytes)
      return bytes
    } catch (error) {
      if (!BatchCorrupt.is(error) || tries >= DAMAGE_TRIES) throw error
      await buffer.discard(feed, [at])
      bytes = (await buffer.take(feed, at.epoch, at.batch, { signal })) ?? bytes
    }
  }
}
