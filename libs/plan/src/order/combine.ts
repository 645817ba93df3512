import { type Layout, type RecordRef, segmentOf } from './layout.js'

/** One input after the other, as tf.data.Dataset.concatenate. */
export function concatenated(inputs: readonly Layout[]): Layout {
  const starts: number[] = []
  let known = 0
  let isComplete = true
  for (const input of inputs) {
    if (!isComplete) break
    starts.push(known)
    known += input.known
    isComplete = input.known === input.total
  }
  const at = (position: number): RecordRef => {
    const index = segmentOf(starts, position)
    return (inputs[index] as Layout).at(position - (starts[index] as number))
  }
  const totals = inputs.map(({ total }) => total)
  const total = totals.every((count) => count !== undefined)
    ? totals.reduce<number>((sum, count) => sum + (count ?? 0), 0)
    : undefined
  return { known, total, at }
}

/** Records of all inputs side by side, as many as the shortest has, as tf.data.Dataset.zip. */
export function zipped(inputs: readonly Layout[]): Layout {
  const known = Math.min(...inputs.map((input) => input.known))
  const shortest = Math.min(...inputs.map(({ total }) => total ?? Number.POSITIVE_INFINITY))
  // An input that is not counted yet may still be known to be long enough.
  const isCertain = inputs.every((input) => input.total !== undefined || input.known >= shortest)
  const at = (position: number): RecordRef => {
    const parts = inputs.map((input) => input.at(position))
    const { shard, record } = parts[0] as RecordRef
    return { shard, record, parts }
  }
  return { known, total: isCertain ? shortest : undefined, at }
}

/**
 * The sequence `count` times over, as tf.data.Dataset.repeat; each pass may have an order of its own.
 * @param own how often a record may come up within one pass, so that all its visits are numbered apart
 * @param isComplete whether every shard is counted, so that all passes are known if one is
 */
export function repeated(
  passOf: (copy: number) => Layout,
  { count, own, isComplete }: { count: number; own: number; isComplete: boolean },
): Layout {
  const { total } = passOf(0)
  // Nothing, repeated for ever, is nothing.
  const all = total === undefined ? undefined : total === 0 ? 0 : total * count
  let known = isComplete ? (all ?? 0) : 0
  // Only a pass that is known to its end is followed by the next one.
  for (let copy = 0; !isComplete && copy < Math.min(count, MOST_COPIES); copy++) {
    const pass = passOf(copy)
    known += pass.known
    if (pass.known !== pass.total) break
  }
  const at = (position: number): RecordRef => {
    const copy = total === undefined || total === 0 ? 0 : Math.floor(position / total)
    const ref = passOf(copy).at(position - copy * (total ?? 0))
    return copy === 0 ? ref : withCopy(ref, copy * own)
  }
  return { known, total: all, at }
}

// While shards are missing, an endless sequence is known this far at most.
const MOST_COPIES = 10_000

/** The ref, and the refs behind a zipped one, with visits counted on. */
function withCopy(ref: RecordRef, visits: number): RecordRef {
  const parts = ref.parts?.map((part) => withCopy(part, visits))
  return { ...ref, copy: (ref.copy ?? 0) + visits, ...(parts ? { parts } : {}) }
}
