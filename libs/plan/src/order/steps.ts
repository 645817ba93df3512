import type { Layout } from './layout.js'
import { keyOf, permutation } from './random.js'

/** A change of a sequence that needs to know nothing but positions: of records before batch, of batches after it. */
export type Step =
  | { readonly kind: 'take' | 'skip'; readonly count: number }
  /** Every `shards`-th item from `index` on, as tf.data.Dataset.shard. */
  | { readonly kind: 'shard'; readonly shards: number; readonly index: number }
  /** Permutes inside consecutive windows of `bufferSize` items, or all of them. */
  | {
      readonly kind: 'shuffle'
      readonly bufferSize: number | 'global'
      readonly seed: number
      readonly reshuffle: boolean
    }

/** @param pass number of the pass over the sequence, which a shuffle may depend on. */
export function stepped<Item>(input: Layout<Item>, step: Step, pass: number): Layout<Item> {
  switch (step.kind) {
    case 'take':
      return taken(input, step.count)
    case 'skip':
      return skipped(input, step.count)
    case 'shard':
      return sharded(input, step.shards, step.index)
    case 'shuffle':
      return windowShuffled(input, step, pass)
  }
}

function taken<Item>({ known, total, at }: Layout<Item>, count: number): Layout<Item> {
  const reached = total === undefined ? known >= count : true
  return { known: Math.min(known, count), total: reached ? Math.min(total ?? count, count) : undefined, at }
}

function skipped<Item>({ known, total, at }: Layout<Item>, count: number): Layout<Item> {
  return {
    known: Math.max(0, known - count),
    total: total === undefined ? undefined : Math.max(0, total - count),
    at: (position) => at(position + count),
  }
}

function sharded<Item>({ known, total, at }: Layout<Item>, shards: number, index: number): Layout<Item> {
  const own = (items: number) => Math.max(0, Math.ceil((items - index) / shards))
  return {
    known: own(known),
    total: total === undefined ? undefined : own(total),
    at: (position) => at(position * shards + index),
  }
}

function windowShuffled<Item>(
  { known, total, at }: Layout<Item>,
  { bufferSize, seed, reshuffle }: Extract<Step, { kind: 'shuffle' }>,
  pass: number,
): Layout<Item> {
  const window = bufferSize === 'global' ? (total ?? Number.POSITIVE_INFINITY) : bufferSize
  const isComplete = known === total
  let cached: { first: number; order: (index: number) => number } | undefined
  return {
    // A window is known as a whole or not at all.
    known: isComplete ? known : Math.floor(known / window) * window,
    total,
    at: (position) => {
      const first = Math.floor(position / window) * window
      if (cached?.first !== first) {
        const size = Math.min(window, (total ?? Number.POSITIVE_INFINITY) - first)
        cached = { first, order: permutation(size, keyOf(seed, 0x5c, reshuffle ? pass : 0, first)).at }
      }
      return at(first + cached.order(position - first))
    },
  }
}
