import { type BatchAt, compareBatches, type Order } from '@stoker/plan'

/** Batches [firstBatch, firstBatch + count) of an epoch; aligned, so that each batch belongs to exactly one task. */
export interface TaskSpan {
  readonly epoch: number
  readonly firstBatch: number
  readonly count: number
}

export interface ReleaseState {
  readonly order: Order
  /** First batch not consumed. */
  readonly cursor: BatchAt
  readonly ready: readonly BatchAt[]
  /** Most batches from the cursor on that may be made or in the making; at least 1. */
  readonly windowBatches: number
  readonly taskBatches: number
}

export interface ReleaseDecision {
  /** Tasks with a batch in the window that is not ready. Releasing one that is already under way changes nothing. */
  readonly tasks: readonly TaskSpan[]
  /** Ready batches outside the window, left over from before a rewind: their bytes are needed for the window. */
  readonly discard: readonly BatchAt[]
}

/** The first batch that exists at or after a place, across epoch ends; undefined past the job's end or what is known. */
export function normalise(order: Order, { epoch, batch }: BatchAt): BatchAt | undefined {
  let at = { epoch, batch }
  while (at.epoch < order.epochs) {
    const batches = order.batchesIn(at.epoch)
    // All epochs have as many: none here is none at all.
    if (batches === 0) return undefined
    if (batches === undefined || at.batch < batches) return at
    at = { epoch: at.epoch + 1, batch: 0 }
  }
  return undefined
}

/**
 * What must be under way: the tasks that fit whole into the window behind the cursor, and always the one that the
 * cursor stands in, so that a window smaller than a task still moves. A function of what is consumed and what is
 * ready, with no memory of what was released before: lost batches, lost tasks and rewinds come out by themselves.
 */
export function decideRelease({ order, cursor, ready, windowBatches, taskBatches }: ReleaseState): ReleaseDecision {
  const have = new Set(ready.map(keyOf))
  const tasks: TaskSpan[] = []
  let room = windowBatches
  let end: BatchAt = cursor
  for (let at = normalise(order, cursor); at; at = normalise(order, end)) {
    const known = order.knownBatches(at.epoch)
    const firstBatch = Math.floor(at.batch / taskBatches) * taskBatches
    const last = Math.min(firstBatch + taskBatches, order.batchesIn(at.epoch) ?? Number.POSITIVE_INFINITY)
    // A task is released whole or not at all: its id says its extent.
    if (last > known) break
    const batches = last - at.batch
    if (batches > room && compareBatches(at, normalise(order, cursor) ?? at) > 0) break
    room -= batches
    end = { epoch: at.epoch, batch: last }
    for (let batch = at.batch; batch < last; batch++) {
      if (have.has(keyOf({ epoch: at.epoch, batch }))) continue
      tasks.push({ epoch: at.epoch, firstBatch, count: last - firstBatch })
      break
    }
    if (room <= 0) break
  }
  const discard = ready.filter((at) => compareBatches(at, cursor) < 0 || compareBatches(at, end) >= 0)
  return { tasks, discard }
}

const keyOf = ({ epoch, batch }: BatchAt): string => `${epoch}:${batch}`
