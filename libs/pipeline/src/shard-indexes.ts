import { FORMATS, type Format, type FormatContext, type ShardIndex } from '@stoker/formats'
import type { Plan } from '@stoker/plan'

/** Bytes that an index takes in memory: an offset and a length for each record. */
const indexBytes = (index: ShardIndex) => index.count * 12 + 256

/** The indexes of a plan's shards, loaded when a batch needs them and kept up to a bound in bytes, latest used last. */
export class ShardIndexes {
  readonly #plan: Plan
  readonly #context: FormatContext
  readonly #maxBytes: number
  readonly #held = new Map<number, Promise<ShardIndex>>()
  readonly #sizes = new Map<number, number>()
  #bytes = 0

  constructor(plan: Plan, context: FormatContext, maxBytes: number) {
    this.#plan = plan
    this.#context = context
    this.#maxBytes = maxBytes
  }

  /** @throws StokerError when the shard cannot be indexed. */
  async get(shard: number): Promise<ShardIndex> {
    const held = this.#held.get(shard)
    if (held) {
      this.#held.delete(shard)
      this.#held.set(shard, held)
      return held
    }
    const loading = this.#load(shard)
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

  async #load(shard: number): Promise<ShardIndex> {
    const pin = this.#plan.shards[shard]
    if (!pin) throw new Error(`plan ${this.#plan.planHash} has no shard ${shard}`)
    return formatOf(this.#plan).index(pin, this.#plan.source, this.#context)
  }

  #keep(shard: number, index: ShardIndex): void {
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

/** The reader of a plan's source. */
export const formatOf = (plan: Plan): Format => FORMATS[plan.source.type] as Format
