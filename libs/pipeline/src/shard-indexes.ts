import {
  createPageCache,
  FORMATS,
  type Format,
  type FormatContext,
  type PageCache,
  type ShardIndex,
} from '@stoker/formats'
import { type Plan, type SourceNode, sourceOfShard } from '@stoker/plan'
import { type Selection, selectionOf } from './selection.js'

/** One shard ready to be read. */
export interface OpenShard {
  readonly format: Format
  readonly node: SourceNode
  readonly index: ShardIndex
  /** Where the source has select stages. */
  readonly selection: Selection | undefined
  /** Records that the plan counts. */
  readonly count: number
}

/** Bytes that an index takes in memory: an offset and a length for each record, and a start where there is a selection. */
const indexBytes = ({ index, selection }: OpenShard) =>
  index.count * (selection ? 20 : 12) + (index.heldBytes ?? 0) + 256

/** The indexes of a plan's shards, loaded when a batch needs them and kept up to a bound in bytes, latest used last. */
export class ShardIndexes {
  readonly #plan: Plan
  readonly #context: FormatContext
  readonly #pages: PageCache
  readonly #maxBytes: number
  readonly #held = new Map<number, Promise<OpenShard>>()
  readonly #sizes = new Map<number, number>()
  #bytes = 0

  constructor(plan: Plan, context: FormatContext, pages: PageCache, maxBytes: number) {
    this.#plan = plan
    this.#context = context
    this.#pages = pages
    this.#maxBytes = maxBytes
  }

  /** @throws StokerError when the shard cannot be indexed. */
  async get(shard: number): Promise<OpenShard> {
    const held = this.#held.get(shard)
    if (held) {
      this.#held.delete(shard)
      this.#held.set(shard, held)
      return held
    }
    const loading = openShard(this.#plan, shard, this.#context, this.#pages)
    this.#held.set(shard, loading)
    try {
      const index = await loading
      this.#keep(shard, index)
      return index
    } catch (error) {
      this.#held.delete(shard)
      throw error
    }
  }

  #keep(shard: number, index: OpenShard): void {
    this.#sizes.set(shard, indexBytes(index))
    this.#bytes += indexBytes(index)
    for (const [oldest] of this.#held) {
      if (this.#bytes <= this.#maxBytes || oldest === shard) return
      this.#held.delete(oldest)
      this.#bytes -= this.#sizes.get(oldest) ?? 0
      this.#sizes.delete(oldest)
    }
  }
}

async function openShard(plan: Plan, shard: number, context: FormatContext, pages: PageCache): Promise<OpenShard> {
  const pin = plan.shards[shard]
  const node = sourceOfShard(plan.producer, shard)
  if (!pin || !node) throw new Error(`plan ${plan.planHash} has no shard ${shard}`)
  const format = FORMATS[node.source.type]
  const index = await format.index(pin, node.source, context)
  if (node.selectStages.length === 0) return { format, node, index, selection: undefined, count: index.count }
  const selection = await selectionOf({ format, pin, node, index, context, pages })
  return { format, node, index, selection, count: selection.starts.at(-1) ?? 0 }
}

// Enough for the chunk of records that an index task reads at once.
const INDEX_PAGES_BYTES = 32 * 2 ** 20

/**
 * Indexes one shard, or finds that it was indexed before, and leaves the index in scratch for whoever reads it.
 * @returns the records of the shard that the plan counts
 * @throws StokerError when the shard cannot be read, or select stages meet a record that they cannot judge
 */
export async function countRecords(plan: Plan, shard: number, context: FormatContext): Promise<number> {
  return (await openShard(plan, shard, context, createPageCache(INDEX_PAGES_BYTES))).count
}
