import { type Counts, type Layout, type RecordRef, segmentOf } from './layout.js'

/**
 * A stretch of whole rounds: each of the open shards gives `block` records in turn, `rounds` times over.
 * A lone block is a stretch of one round over one shard.
 */
interface Stretch {
  readonly shards: readonly number[]
  /** First record that each shard gives in this stretch. */
  readonly firsts: readonly number[]
  readonly block: number
}

interface Slot {
  readonly shard: number
  readonly count: number
  next: number
}

/**
 * The order of `tf.data.Dataset.interleave(cycle_length, block_length)`, deterministic, over shards in `sequence`.
 * Follows InterleaveDataset of TensorFlow 2.21 (tensorflow/core/kernels/data/interleave_dataset_op.cc): a shard that
 * ends gives up its turn, and its slot opens the next shard when the turn comes back to it.
 *
 * Memory O(shards x cycleLength) in the worst case, O(shards) for shards of equal size; `at` is O(log shards).
 */
export function interleaveLayout(
  sequence: readonly number[],
  counts: Counts,
  cycleLength: number,
  blockLength: number,
): Layout {
  const starts: number[] = []
  const stretches: Stretch[] = []
  const slots: (Slot | undefined)[] = new Array(Math.min(cycleLength, Math.max(1, sequence.length))).fill(undefined)
  let opened = 0
  let open = 0
  let turn = 0
  let known = 0
  let complete = true

  const push = (stretch: Stretch, records: number) => {
    starts.push(known)
    stretches.push(stretch)
    known += records
  }
  /** Slots in the order of their turns, from the current one. */
  const inTurn = () =>
    slots.map((_, index) => slots[(turn + index) % slots.length]).filter((slot) => slot !== undefined)

  for (;;) {
    const slot = slots[turn]
    if (!slot) {
      const shard = sequence[opened]
      if (shard === undefined) {
        if (open === 0) break
        turn = (turn + 1) % slots.length
        continue
      }
      const count = counts[shard]
      if (count === undefined) {
        complete = false
        break
      }
      slots[turn] = { shard, count, next: 0 }
      opened++
      open++
      continue
    }
    const steady = open === slots.length || opened === sequence.length
    const active = steady ? inTurn() : []
    const rounds = steady ? Math.min(...active.map(({ count, next }) => Math.floor((count - next) / blockLength))) : 0
    if (rounds > 0) {
      const stretch = {
        shards: active.map(({ shard }) => shard),
        firsts: active.map(({ next }) => next),
        block: blockLength,
      }
      push(stretch, rounds * active.length * blockLength)
      for (const one of active) one.next += rounds * blockLength
      continue
    }
    const records = Math.min(blockLength, slot.count - slot.next)
    if (records > 0) push({ shards: [slot.shard], firsts: [slot.next], block: records }, records)
    slot.next += records
    if (records < blockLength) {
      slots[turn] = undefined
      open--
    }
    turn = (turn + 1) % slots.length
  }

  const at = (position: number): RecordRef => {
    const index = segmentOf(starts, position)
    const { shards, firsts, block } = stretches[index] as Stretch
    const offset = position - (starts[index] as number)
    const round = Math.floor(offset / (shards.length * block))
    const within = offset - round * shards.length * block
    const place = Math.floor(within / block)
    return {
      shard: shards[place] as number,
      record: (firsts[place] as number) + round * block + (within - place * block),
    }
  }
  return { known, total: complete ? known : undefined, at }
}
