import { BatchOutside, BatchUnknown } from '../error-table.js'
import type { Counts, Layout, RecordRef } from './layout.js'
import { type Step, stepped } from './steps.js'
import { type OrderNode, passesOf } from './tree.js'

/** Everything the order depends on besides the shards' record counts. Plain JSON. */
export interface OrderSpec {
  readonly seed: number
  readonly epochs: number
  /** How the records of an epoch follow each other. */
  readonly records: OrderNode
  readonly batch: { readonly size: number; readonly dropRemainder: boolean }
  /** Changes of the sequence of batches, in order. */
  readonly batches: readonly Step[]
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
  /** Records that the batches of an epoch are made of; undefined while counts are missing. */
  recordsIn(epoch: number): number | undefined
  /** Shards in the order in which the epoch first needs them. */
  shardOrder(epoch: number): number[]
}

const counted = (count: number | 'some', noun: 'epoch' | 'batch') =>
  count === 1 ? `1 ${noun}` : `${count} ${noun === 'batch' ? 'batches' : 'epochs'}`

export function createOrder(spec: OrderSpec, counts: Counts): Order {
  const records = passesOf(spec.records, counts)
  const { size, dropRemainder } = spec.batch
  let latest: { epoch: number; batches: Layout<number> } | undefined

  /** Position of each batch of the epoch in the sequence that the records alone would give. */
  const batchesOf = (epoch: number): Layout<number> => {
    if (latest?.epoch === epoch) return latest.batches
    const { known, total } = records.layout(epoch)
    const whole = Math.floor(known / size)
    const all = total === undefined ? undefined : dropRemainder ? Math.floor(total / size) : Math.ceil(total / size)
    const plain: Layout<number> = { known: known === total ? (all ?? whole) : whole, total: all, at: (batch) => batch }
    const batches = spec.batches.reduce((layout, step) => stepped(layout, step, epoch), plain)
    latest = { epoch, batches }
    return batches
  }

  const recordsIn = (epoch: number): number | undefined => {
    const { total } = records.layout(epoch)
    const batches = batchesOf(epoch).total
    return total === undefined || batches === undefined || spec.batches.length === 0
      ? total
      : Math.min(total, batches * size)
  }

  const batch = (epoch: number, index: number): RecordRef[] => {
    const { known, total, at } = batchesOf(epoch)
    const end = epoch < spec.epochs ? total : 0
    if (epoch < 0 || index < 0 || (end !== undefined && index >= end)) {
      const there = `${counted(spec.epochs, 'epoch')} of ${counted(batchesOf(0).total ?? 'some', 'batch')}`
      throw BatchOutside(index, epoch, there).with({
        place: { epoch, batch: index },
      })
    }
    if (index >= known) throw BatchUnknown(index, epoch).with({ place: { epoch, batch: index } })
    const layout = records.layout(epoch)
    const start = at(index) * size
    const length = Math.min(size, (layout.total ?? Number.POSITIVE_INFINITY) - start)
    return Array.from({ length }, (_, offset) => layout.at(start + offset))
  }

  return {
    epochs: spec.epochs,
    batchesIn: (epoch) => batchesOf(epoch).total,
    knownBatches: (epoch) => batchesOf(epoch).known,
    batch,
    recordAt: (epoch, position) => records.layout(epoch).at(position),
    recordsIn,
    shardOrder: (epoch) => records.shardOrder(epoch),
  }
}
