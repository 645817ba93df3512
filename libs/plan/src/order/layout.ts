/** One record: which shard, and which record of it, both from 0. */
export interface RecordRef {
  readonly shard: number
  readonly record: number
  /** Which of several visits in one epoch this is, from 0 (left out): a repeated record is augmented anew. */
  readonly copy?: number
  /** Of zipped inputs: the record of each of them, in order; `shard` and `record` are those of the first. */
  readonly parts?: readonly RecordRef[]
}

/**
 * The order of one pass over the data. Positions in [0, known) are certain with the shard counts at hand; `total` is
 * undefined while counts are missing.
 */
export interface Layout<Item = RecordRef> {
  readonly known: number
  readonly total: number | undefined
  /** @param position in [0, known). */
  at(position: number): Item
}

/** Records of each shard; undefined for a shard that is not indexed yet. */
export type Counts = readonly (number | undefined)[]

/** Index of the last start that is not above the position. `starts` ascends and begins with 0. */
export function segmentOf(starts: readonly number[] | Float64Array, position: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((starts[middle] as number) <= position) low = middle
    else high = middle - 1
  }
  return low
}
