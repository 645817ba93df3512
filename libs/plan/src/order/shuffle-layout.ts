import { type Counts, type Layout, type RecordRef, segmentOf } from './layout.js'
import { keyOf, permutation } from './random.js'

export interface WindowShuffle {
  /** Least records in a window; `global` permutes all records at once. */
  readonly bufferSize: number | 'global'
  /** Least shards that a window gathers from, as far as the data has them. */
  readonly mixShards: number
  /** Records that stay neighbours in the shard and travel together into a window, so that reads are worth their while. */
  readonly blockRecords: number
}

/** One group: consecutive shards of the sequence, mixed with each other and with no others. */
interface Group {
  /** Position of its first record in the pass. */
  readonly start: number
  readonly records: number
  /** Part of the sequence: [firstSlot, endSlot). */
  readonly firstSlot: number
  readonly endSlot: number
}

/**
 * The shuffled order of one pass. Shards, already in random order in `sequence`, form groups of at least `mixShards`
 * shards and `bufferSize` records. A group's records, end to end, are cut in blocks of `blockRecords`; the blocks are
 * permuted; consecutive blocks form windows of at least `bufferSize` records; records are permuted inside a window.
 *
 * A group is known as soon as its own shards are indexed, so the first batches never wait for the whole data set
 * (unless the shuffle is global). Memory O(shards), `at` O(log shards).
 */
export function shuffleLayout(
  sequence: readonly number[],
  counts: Counts,
  shuffle: WindowShuffle,
  key: number,
): Layout {
  const { groups, slotStarts, complete } = groupShards(sequence, counts, shuffle)
  const last = groups.at(-1)
  const known = last ? last.start + last.records : 0
  const starts = groups.map(({ start }) => start)
  let cached: { index: number; order: (position: number) => number } | undefined

  const at = (position: number): RecordRef => {
    const index = segmentOf(starts, position)
    const group = groups[index] as Group
    if (cached?.index !== index) cached = { index, order: groupOrder(group.records, shuffle, keyOf(key, index)) }
    const record = group.start + cached.order(position - group.start)
    const slot = segmentOf(slotStarts, record)
    const copy = Math.floor(slot / counts.length)
    const ref = { shard: sequence[slot] as number, record: record - (slotStarts[slot] as number) }
    return copy === 0 ? ref : { ...ref, copy }
  }
  return { known, total: complete ? known : undefined, at }
}

function groupShards(sequence: readonly number[], counts: Counts, { bufferSize, mixShards }: WindowShuffle) {
  const least = bufferSize === 'global' ? Number.POSITIVE_INFINITY : bufferSize
  const groups: Group[] = []
  // Start of each shard in the unshuffled pass. Empty shards share a start with the next one: the search takes the last.
  const slotStarts: number[] = []
  let total = 0
  let start = 0
  let firstSlot = 0
  for (const [slot, shard] of sequence.entries()) {
    const count = counts[shard]
    if (count === undefined) return { groups, slotStarts, complete: false }
    slotStarts.push(total)
    total += count
    const full = slot + 1 - firstSlot >= mixShards && total - start >= least
    if (full || slot + 1 === sequence.length) {
      if (total > start) groups.push({ start, records: total - start, firstSlot, endSlot: slot + 1 })
      start = total
      firstSlot = slot + 1
    }
  }
  return { groups, slotStarts, complete: true }
}

/** Position within a group to record within the group's unshuffled sequence. */
function groupOrder(
  records: number,
  { bufferSize, blockRecords }: WindowShuffle,
  key: number,
): (position: number) => number {
  if (bufferSize === 'global' || bufferSize >= records) return permutation(records, key).at
  const blocks = Math.ceil(records / blockRecords)
  const blockOrder = permutation(blocks, keyOf(key, 1))
  // One more than needed, since one window holds the group's short last block.
  const windowBlocks = Math.ceil(bufferSize / blockRecords) + 1
  const windows = Math.max(1, Math.floor(blocks / windowBlocks))
  const short = blocks * blockRecords - records
  const shortAt = short === 0 ? blocks : blockOrder.placeOf(blocks - 1)
  // Records before the block at place p of the permuted sequence.
  const startOf = (place: number) => place * blockRecords - (place > shortAt ? short : 0)
  let cached: { window: number; order: (index: number) => number } | undefined

  return (position) => {
    let place = Math.min(Math.floor(position / blockRecords), blocks - 1)
    while (place + 1 < blocks && startOf(place + 1) <= position) place++
    const window = Math.min(Math.floor(place / windowBlocks), windows - 1)
    const first = window * windowBlocks
    const end = window === windows - 1 ? blocks : first + windowBlocks
    const start = startOf(first)
    if (cached?.window !== window) {
      cached = {
        window,
        order: permutation((end === blocks ? records : startOf(end)) - start, keyOf(key, 2, window)).at,
      }
    }
    const mixed = start + cached.order(position - start)
    let from = Math.min(Math.floor(mixed / blockRecords), blocks - 1)
    while (from + 1 < blocks && startOf(from + 1) <= mixed) from++
    return blockOrder.at(from) * blockRecords + (mixed - startOf(from))
  }
}
