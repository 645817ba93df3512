import { BatchOutside, BatchUnknown } from '../error-table.js'
import { interleaveLayout } from './interleave-layout.js'
import type { Counts, Layout, RecordRef } from './layout.js'
import { keyOf, permutation, shuffled } from './random.js'
import { shuffleLayout, type WindowShuffle } from './shuffle-layout.js'

/** Everything the order depends on besides the shards' record counts. Plain JSON. */
export interface OrderSpec {
  readonly seed: number
  readonly epochs: number
  /** Shards in a new order each pass. */
  readonly shardShuffle: boolean
  readonly interleave: { readonly cycleLength: number; readonly blockLength: number }
  readonly shuffle: (WindowShuffle & { readonly seed: number; readonly reshuffle: boolean }) | null
  /** Permutes whole batches inside windows of this many. */
  readonly batchShuffle: {
    readonly bufferSize: number | 'global'
    readonly seed: number
    readonly reshuffle: boolean
  } | null
  readonly repeats: { readonly beforeShuffle: number; readonly beforeBatch: number }
  readonly batch: { readonly size: number; readonly dropRemainder: boolean }
}

/** The sequence of batches of a job: a pure function of (spec, counts). */
export interface Order {
  readonly epochs: number
  /** Undefined while shard counts are missing. */
  batchesIn(epoch: number): number | undefined
  /** Batches [0, n) of the epoch whose records are certain with the counts at hand. */
  knownBatches(epoch: number): number
  /**
   * Records of one batch, in order.
   * @throws BatchUnknown while counts are missing, BatchOutside past the end.
   */
  batch(epoch: number, batch: number): RecordRef[]
  recordAt(epoch: number, position: number): RecordRef
  /** Records of an epoch; undefined while counts are missing. */
  recordsIn(epoch: number): number | undefined
  /** Shards in the order in which the epoch first needs them. */
  shardOrder(epoch: number): number[]
}

// Two passes overlap at an epoch's end; a rewind may touch a third.
const CACHED_PASSES = 4

export function createOrder(spec: OrderSpec, counts: Counts): Order {
  const passes = new Map<number, Layout>()
  const { beforeShuffle, beforeBatch } = spec.repeats

  const shardsOfPass = (pass: number): number[] =>
    spec.shardShuffle || spec.shuffle
      ? shuffled(
          counts.length,
          keyOf(spec.shuffle?.seed ?? spec.seed, 0x5a, spec.shuffle?.reshuffle === false ? 0 : pass),
        )
      : Array.from(counts, (_, index) => index)

  const makePass = (pass: number): Layout => {
    if (!spec.shuffle)
      return interleaveLayout(shardsOfPass(pass), counts, spec.interleave.cycleLength, spec.interleave.blockLength)
    const sequence = Array.from({ length: beforeShuffle }, (_, copy) =>
      shardsOfPass(pass * beforeShuffle + copy),
    ).flat()
    return shuffleLayout(
      sequence,
      counts,
      spec.shuffle,
      keyOf(spec.shuffle.seed, 0x5b, spec.shuffle.reshuffle ? pass : 0),
    )
  }

  const layout = (pass: number): Layout => {
    const held = passes.get(pass)
    if (held) return held
    const made = makePass(pass)
    passes.set(pass, made)
    if (passes.size > CACHED_PASSES) passes.delete(passes.keys().next().value as number)
    return made
  }

  const recordsIn = (epoch: number): number | undefined => {
    const { total } = layout(epoch * beforeBatch)
    return total === undefined ? undefined : total * beforeBatch
  }
  const batchesOf = (records: number) => (spec.batch.dropRemainder ? Math.floor : Math.ceil)(records / spec.batch.size)
  const batchesIn = (epoch: number): number | undefined => {
    const records = recordsIn(epoch)
    return records === undefined ? undefined : batchesOf(records)
  }
  const knownBatches = (epoch: number): number => {
    const batches = batchesIn(epoch)
    if (batches !== undefined) return batches
    const known = Math.floor(layout(epoch * beforeBatch).known / spec.batch.size)
    const window = spec.batchShuffle?.bufferSize ?? 1
    return window === 'global' ? 0 : Math.floor(known / window) * window
  }
  const recordAt = (epoch: number, position: number): RecordRef => {
    if (beforeBatch === 1) return layout(epoch).at(position)
    // With repeat before batch a whole pass is known before the next begins: `total` is set when position passes it.
    const { total } = layout(epoch * beforeBatch)
    const pass = total === undefined ? 0 : Math.floor(position / total)
    return layout(epoch * beforeBatch + pass).at(total === undefined ? position : position - pass * total)
  }
  const sourceBatch = (epoch: number, batch: number): number => {
    const shuffle = spec.batchShuffle
    if (!shuffle) return batch
    const batches = batchesIn(epoch)
    const window = shuffle.bufferSize === 'global' ? (batches as number) : shuffle.bufferSize
    const first = Math.floor(batch / window) * window
    const size = Math.min(window, (batches ?? Number.POSITIVE_INFINITY) - first)
    return first + permutation(size, keyOf(shuffle.seed, 0x5c, shuffle.reshuffle ? epoch : 0, first)).at(batch - first)
  }

  const batch = (epoch: number, index: number): RecordRef[] => {
    const total = epoch < spec.epochs ? batchesIn(epoch) : 0
    if (epoch < 0 || index < 0 || epoch >= spec.epochs || (total !== undefined && index >= total)) {
      throw BatchOutside(index, epoch, `${spec.epochs} epochs of ${batchesIn(0) ?? 'some'} batches`).with({
        place: { epoch, batch: index },
      })
    }
    if (index >= knownBatches(epoch)) throw BatchUnknown(index, epoch).with({ place: { epoch, batch: index } })
    const start = sourceBatch(epoch, index) * spec.batch.size
    const end = Math.min(start + spec.batch.size, recordsIn(epoch) ?? Number.POSITIVE_INFINITY)
    return Array.from({ length: end - start }, (_, offset) => recordAt(epoch, start + offset))
  }

  return {
    epochs: spec.epochs,
    batchesIn,
    knownBatches,
    batch,
    recordAt,
    recordsIn,
    shardOrder: (epoch) => shardsOfPass(epoch * beforeBatch * beforeShuffle),
  }
}
