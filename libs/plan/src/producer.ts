import type { CheckedChain, LeafSource, Stage } from '@stoker/spec'

/**
 * How one record comes to be, before the stages that all records share: the sources as leaves, and what is done to the
 * records of each input on the way. Shards are numbered as in the plan.
 */
export type ProducerNode =
  | {
      readonly kind: 'source'
      readonly source: LeafSource
      /** The source's own shards: [first, first + count). */
      readonly first: number
      readonly count: number
      /** Turn one raw record into none, one or several; evaluated when a shard is indexed. */
      readonly selectStages: readonly Stage[]
    }
  /** A record of one of the inputs: the one that its shard belongs to. */
  | { readonly kind: 'either'; readonly inputs: readonly ProducerInput[] }
  /** The fields of a record of each input. */
  | { readonly kind: 'all'; readonly inputs: readonly ProducerInput[] }

export interface ProducerInput {
  readonly node: ProducerNode
  readonly stages: readonly Stage[]
  /** Tells the chains apart, so that no two random ops draw the same numbers; 0 is the shared chain's. */
  readonly salt: number
}

export type SourceNode = Extract<ProducerNode, { kind: 'source' }>

/** The sources of a chain, inputs first to last: the order in which a plan numbers their shards. */
export function sourcesOf(chain: CheckedChain): { source: LeafSource; chain: CheckedChain }[] {
  if (chain.inputs.length > 0) return chain.inputs.flatMap(sourcesOf)
  // Only combined sources have inputs.
  return [{ source: chain.pipeline.source as LeafSource, chain }]
}

/** @param counts shards of each source, in the order of `sourcesOf`. */
export function planProducer(chain: CheckedChain, counts: readonly number[]): ProducerNode {
  let source = 0
  let first = 0
  let salt = 0
  const visit = (one: CheckedChain): ProducerNode => {
    if (one.inputs.length > 0) {
      const kind = one.pipeline.source.type === 'zip' ? 'all' : 'either'
      const inputs = one.inputs.map((input) => ({ node: visit(input), stages: input.recordStages, salt: ++salt }))
      return { kind, inputs }
    }
    const count = counts[source++] ?? 0
    const node: SourceNode = {
      kind: 'source',
      source: one.pipeline.source as LeafSource,
      first,
      count,
      selectStages: one.selectStages,
    }
    first += count
    return node
  }
  return visit(chain)
}

/** The sources of a producer, first to last. */
export function sourceNodes(node: ProducerNode): SourceNode[] {
  return node.kind === 'source' ? [node] : node.inputs.flatMap((input) => sourceNodes(input.node))
}

/** The source that a shard belongs to. */
export function sourceOfShard(node: ProducerNode, shard: number): SourceNode | undefined {
  return sourceNodes(node).find(({ first, count }) => shard >= first && shard < first + count)
}
