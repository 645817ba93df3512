import { AUTOTUNE, type ChainOrder, type RecordOrder } from '@stoker/spec'

/** Knobs chosen at submission from what is known then: batch bytes and budget. */
export interface FeedKnobs {
  readonly windowBatches: number
  readonly taskBatches: number
}

// Reading 16 shards in turn mixes well and keeps 16 requests in flight, enough to hide a store's latency.
const CYCLE_LENGTH = 16
// Ahead of need by this many batches: seconds of slack for most models, while the byte budget bounds memory.
const WINDOW_BATCHES = 64
// The window is worked on by this many tasks at once; a task is what a killed worker loses.
const TASKS_PER_WINDOW = 8
const MOST_TASK_BATCHES = 8

/** Shards of one source that are read in turn; a number in the spec wins. */
export function chooseCycleLength(order: RecordOrder, shards: number): number {
  const asked = order.interleave?.cycleLength ?? AUTOTUNE
  return asked === AUTOTUNE ? Math.max(1, Math.min(CYCLE_LENGTH, shards)) : asked
}

/**
 * Fixed rules for knobs that are AUTOTUNE; a number in the spec always wins, and the byte budget wins over both.
 * @param batchBytes bytes of a full batch on the wire, or null where shapes are known only at run time.
 */
export function chooseFeedKnobs(
  order: ChainOrder,
  facts: { batchBytes: number | null; bufferBytes: number },
): FeedKnobs {
  const depth = order.prefetch ? (order.prefetch.depth ?? AUTOTUNE) : 1
  const wanted = depth === AUTOTUNE ? WINDOW_BATCHES : depth
  const affordable = facts.batchBytes ? Math.floor(facts.bufferBytes / facts.batchBytes) : wanted
  const windowBatches = Math.max(1, Math.min(wanted, affordable))
  const taskBatches = Math.max(1, Math.min(MOST_TASK_BATCHES, Math.floor(windowBatches / TASKS_PER_WINDOW)))
  return { windowBatches, taskBatches }
}
