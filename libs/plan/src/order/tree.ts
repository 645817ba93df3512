import { concatenated, repeated, zipped } from './combine.js'
import { interleaveLayout } from './interleave-layout.js'
import type { Counts, Layout, RecordRef } from './layout.js'
import { keyOf, shuffled } from './random.js'
import { sampled } from './sample.js'
import { shuffleLayout, type WindowShuffle } from './shuffle-layout.js'
import { type Step, stepped } from './steps.js'

/** The shards of one source and how they are read: the leaves of the tree. */
export interface ShardsNode {
  readonly kind: 'shards'
  /** The source's own shards among all shards of the plan: [first, first + count). */
  readonly first: number
  readonly count: number
  readonly seed: number
  /** Shards in a new order each pass. */
  readonly shuffleShards: boolean
  readonly interleave: { readonly cycleLength: number; readonly blockLength: number }
  readonly shuffle: (WindowShuffle & { readonly seed: number; readonly reshuffle: boolean }) | null
  /** Times that the shards are laid end to end before they are shuffled: a repeat in front of the shuffle. */
  readonly copies: number
}

/** How the records of a pass follow each other: a function of the shards' record counts. Plain JSON. */
export type OrderNode =
  | ShardsNode
  | { readonly kind: 'step'; readonly input: OrderNode; readonly step: Step }
  /** Without a count it goes on for ever. */
  | { readonly kind: 'repeat'; readonly input: OrderNode; readonly count: number | null }
  | { readonly kind: 'concatenate' | 'zip'; readonly inputs: readonly OrderNode[] }
  | {
      readonly kind: 'sampleFrom'
      readonly inputs: readonly OrderNode[]
      readonly weights: readonly number[]
      readonly seed: number
      readonly stopOnEmpty: boolean
    }

/** Layouts of a node, pass by pass. */
export interface Passes {
  layout(pass: number): Layout
  /** Shards in the order in which the pass first needs them. */
  shardOrder(pass: number): number[]
}

// Two passes overlap at an epoch's end; a rewind may touch a third.
const CACHED_PASSES = 4
// Passes of an endless repeat that an epoch has for itself before it goes on with those of the next.
const ENDLESS_STRIDE = 2 ** 20

export function passesOf(node: OrderNode, counts: Counts): Passes {
  switch (node.kind) {
    case 'shards':
      return passesOfShards(node, counts)
    case 'step': {
      const input = passesOf(node.input, counts)
      return { layout: cached((pass) => stepped(input.layout(pass), node.step, pass)), shardOrder: input.shardOrder }
    }
    case 'repeat': {
      const input = passesOf(node.input, counts)
      const count = node.count ?? Number.POSITIVE_INFINITY
      // An endless sequence has one pass that never ends.
      const firstPass = (pass: number) => (node.count === null ? pass * ENDLESS_STRIDE : pass * node.count)
      const own = visitsOf(node.input)
      const isComplete = counts.every((records) => records !== undefined)
      return {
        layout: cached((pass) => repeated((copy) => input.layout(firstPass(pass) + copy), { count, own, isComplete })),
        shardOrder: (pass) => input.shardOrder(firstPass(pass)),
      }
    }
    case 'concatenate':
      return combined(node.inputs, counts, concatenated, (orders) => orders.flat())
    case 'zip':
      return combined(node.inputs, counts, zipped, inTurn)
    case 'sampleFrom':
      return combined(node.inputs, counts, (layouts, pass) => sampled(layouts, node, pass), inTurn)
  }
}

/** How often a record may come up in one pass of a node. */
function visitsOf(node: OrderNode): number {
  switch (node.kind) {
    case 'shards':
      return node.copies
    case 'step':
      return visitsOf(node.input)
    case 'repeat':
      return visitsOf(node.input) * (node.count ?? Number.POSITIVE_INFINITY)
    default:
      return Math.max(...node.inputs.map(visitsOf))
  }
}

function combined(
  nodes: readonly OrderNode[],
  counts: Counts,
  combine: (layouts: readonly Layout[], pass: number) => Layout,
  merge: (orders: readonly number[][]) => number[],
): Passes {
  const inputs = nodes.map((node) => passesOf(node, counts))
  return {
    layout: cached((pass) =>
      combine(
        inputs.map((input) => input.layout(pass)),
        pass,
      ),
    ),
    shardOrder: (pass) => merge(inputs.map((input) => input.shardOrder(pass))),
  }
}

/** The first of each, the second of each, and so on. */
function inTurn(orders: readonly number[][]): number[] {
  const longest = Math.max(...orders.map(({ length }) => length))
  return Array.from({ length: longest }, (_, turn) => orders.flatMap((order) => order.slice(turn, turn + 1))).flat()
}

function passesOfShards(node: ShardsNode, counts: Counts): Passes {
  const { first, count, shuffle, copies, interleave } = node
  const own = counts.slice(first, first + count)
  const shardsOf = (pass: number): number[] =>
    node.shuffleShards || shuffle
      ? shuffled(count, keyOf(shuffle?.seed ?? node.seed, 0x5a, shuffle?.reshuffle === false ? 0 : pass))
      : Array.from(own, (_, shard) => shard)
  const layout = (pass: number): Layout => {
    if (!shuffle) return interleaveLayout(shardsOf(pass), own, interleave.cycleLength, interleave.blockLength)
    const sequence = Array.from({ length: copies }, (_, copy) => shardsOf(pass * copies + copy)).flat()
    return shuffleLayout(sequence, own, shuffle, keyOf(shuffle.seed, 0x5b, shuffle.reshuffle ? pass : 0))
  }
  return {
    layout: cached((pass) => atShard(layout(pass), first)),
    shardOrder: (pass) => shardsOf(pass * copies).map((shard) => first + shard),
  }
}

/** The layout with shards counted among all shards of the plan. */
function atShard(layout: Layout, first: number): Layout {
  if (first === 0) return layout
  const at = (position: number): RecordRef => {
    const ref = layout.at(position)
    return { ...ref, shard: first + ref.shard }
  }
  return { ...layout, at }
}

function cached(make: (pass: number) => Layout): (pass: number) => Layout {
  const held = new Map<number, Layout>()
  return (pass) => {
    const layout = held.get(pass) ?? make(pass)
    held.set(pass, layout)
    if (held.size > CACHED_PASSES) held.delete(held.keys().next().value as number)
    return layout
  }
}
