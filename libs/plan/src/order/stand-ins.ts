import { BatchOutside } from '../error-table.js'
import type { RecordRef } from './layout.js'
import type { Order, OrderSpec } from './order.js'
import { keyOf, permutation } from './random.js'
import type { OrderNode } from './tree.js'

/** Records that a stand-in is looked for among where the chain shuffles less than that. */
const LEAST_WINDOW = 256

/** Stand-ins tried for one row. So many bad records in a row are no accident that a policy should hide. */
export const MOST_STAND_INS = 1_000

/** One row of one batch. */
export interface Row {
  readonly epoch: number
  readonly batch: number
  readonly row: number
}

/**
 * Records that may stand in for the one in a row that is bad, in the order in which they are to be tried: first all others
 * of its window (this batch and those before it, as many as the chain's shuffle mixes) in a keyed random order, then
 * those of the batches after it, one by one. A function of (spec, counts, row) alone. Each comes as a visit of its own, so
 * that it is augmented otherwise than where it stands by right.
 *
 * @throws BatchUnknown where batches after it are needed that are not known yet
 */
export function* standIns(order: Order, spec: OrderSpec, { epoch, batch, row }: Row): Generator<RecordRef> {
  const { size } = spec.batch
  const batches = Math.ceil(Math.max(LEAST_WINDOW, shuffledRecords(spec.records)) / size)
  const first = Math.max(0, batch - batches + 1)
  const visit = keyOf(batch, row)
  let tried = 0
  const anew = (ref: RecordRef): RecordRef => ({ ...ref, copy: (ref.copy ?? 0) + visit })
  const rows = (batch - first + 1) * size
  const pick = permutation(rows, keyOf(spec.seed, epoch, batch, row))
  for (let index = 0; index < rows && tried < MOST_STAND_INS; index++) {
    const at = pick.at(index)
    const from = first + Math.floor(at / size)
    const ref = from === batch && at % size === row ? undefined : order.batch(epoch, from)[at % size]
    if (!ref) continue
    tried++
    yield anew(ref)
  }
  for (let next = batch + 1; tried < MOST_STAND_INS; next++) {
    for (const ref of batchThere(order, epoch, next)) {
      tried++
      yield anew(ref)
    }
    if (order.batchesIn(epoch) === next) return
  }
}

function batchThere(order: Order, epoch: number, batch: number): RecordRef[] {
  try {
    return order.batch(epoch, batch)
  } catch (error) {
    if (BatchOutside.is(error)) return []
    throw error
  }
}

/** Most records that a shuffle of the tree keeps in play; a global one counts as none, since it has no neighbourhood. */
function shuffledRecords(node: OrderNode): number {
  const size = (given: number | 'global' | undefined) => (typeof given === 'number' ? given : 0)
  if (node.kind === 'shards') return size(node.shuffle?.bufferSize)
  if (node.kind === 'repeat') return shuffledRecords(node.input)
  if (node.kind !== 'step') return Math.max(0, ...node.inputs.map(shuffledRecords))
  return Math.max(shuffledRecords(node.input), node.step.kind === 'shuffle' ? size(node.step.bufferSize) : 0)
}
