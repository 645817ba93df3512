import { type BatchBuffer, JobEnded } from '@stoker/buffer'
import { type BatchAt, compareBatches } from '@stoker/plan'
import { connectRedis, listenWake } from '@stoker/queue'
import { type ToyFeed, toyBatch } from './toy-job.js'

const WINDOW = 8

export interface ToyFeederOptions {
  readonly make?: typeof toyBatch
  /** First batch that is not made, until `lift`. */
  readonly limit?: BatchAt
}

/** Stands for coordinator and workers: keeps the next batches behind the cursor in the buffer, after a rewind too. */
export function keepFed(
  url: string,
  buffer: BatchBuffer,
  feeds: readonly ToyFeed[],
  { make = toyBatch, limit }: ToyFeederOptions = {},
): { close(): Promise<void>; lift(): void; made: string[] } {
  const made: string[] = []
  let end = limit
  let isClosed = false
  let running: Promise<void> = Promise.resolve()
  const fill = async () => {
    for (const feed of feeds) {
      let { epoch, batch } = await buffer.cursor(feed.id)
      for (let room = WINDOW; room > 0 && epoch < feed.order.epochs; ) {
        const total = feed.order.batchesIn(epoch) ?? 0
        if (batch >= total) {
          epoch++
          batch = 0
          continue
        }
        if (end && compareBatches({ epoch, batch }, end) >= 0) break
        for (const missing of await buffer.missing(feed.id, epoch, batch, 1)) {
          const outcome = await buffer.put(feed.id, epoch, missing, make(feed, epoch, missing))
          if (outcome === 'stored') made.push(`${feed.id}:${epoch}:${missing}`)
        }
        batch++
        room--
      }
    }
  }
  const onWake = () => {
    if (isClosed) return
    running = running.then(fill).catch((error: unknown) => {
      if (!JobEnded.is(error)) throw error
    })
  }
  const listener = listenWake(() => connectRedis(url, 'blocking'), { onWake, onGap: onWake })
  return {
    made,
    lift: () => {
      end = undefined
      onWake()
    },
    close: async () => {
      isClosed = true
      listener.close()
      await running
    },
  }
}
