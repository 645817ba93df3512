import type { ChainOrder, CheckedChain, CheckedPipeline, LeafSource, StageOf } from '@stoker/spec'
import type { OrderSpec } from './order/order.js'
import { keyOf } from './order/random.js'
import type { Step } from './order/steps.js'
import type { OrderNode, ShardsNode } from './order/tree.js'

// Records that stay together when blocks are permuted: a window gathers from at least this many blocks.
const BLOCKS_PER_WINDOW = 16
const MOST_BLOCK_RECORDS = 256

interface OrderOptions {
  readonly seed: number
  readonly epochs: number
  /** Of each source, in the order of `sourcesOf`: shards read in turn, and shards there are. */
  readonly cycleLengths: readonly number[]
  readonly counts: readonly number[]
}

/** The order of a checked chain. */
export function orderSpec(chain: CheckedPipeline, options: OrderOptions): OrderSpec {
  const { batch, batches } = chain.order
  return {
    seed: options.seed,
    epochs: options.epochs,
    records: new TreeBuilder(options).node(chain),
    batch: { size: batch.size, dropRemainder: batch.dropRemainder ?? false },
    batches: batches.flatMap((stage) => stepOf(stage, options.seed)),
  }
}

class TreeBuilder {
  readonly #options: OrderOptions
  #source = 0
  #first = 0

  constructor(options: OrderOptions) {
    this.#options = options
  }

  node(chain: CheckedChain): OrderNode {
    const { records } = chain.order
    if (chain.inputs.length > 0) return this.#steps(this.#combined(chain), records)
    // What comes right before a shuffle of shards is part of the shuffle: repeats, which blend.
    const leading = records.findIndex(({ op }) => op !== 'repeat')
    const next = records[leading]
    const absorbed = next?.op === 'shuffle' && next.bufferSize !== 1 ? next : undefined
    const copies = records
      .slice(0, absorbed ? leading : 0)
      .reduce((times, step) => times * (step.op === 'repeat' ? (step.count ?? 1) : 1), 1)
    const shards = this.#shards(chain, absorbed, copies)
    return this.#steps(shards, absorbed ? records.slice(leading + 1) : records)
  }

  #shards(chain: CheckedChain, shuffle: StageOf<'shuffle'> | undefined, copies: number): ShardsNode {
    const { seed, cycleLengths, counts } = this.#options
    const source = chain.pipeline.source as LeafSource
    const number = this.#source++
    const count = counts[number] ?? 0
    const cycleLength = cycleLengths[number] ?? 1
    const { interleave } = chain.order
    const first = this.#first
    this.#first += count
    // Sources of one shape must not be permuted alike.
    const own = (given: number) => (number === 0 ? given : keyOf(given, number))
    return {
      kind: 'shards',
      first,
      count,
      seed: own(seed),
      shuffleShards: 'shuffle' in source && source.shuffle === true,
      interleave: interleave
        ? { cycleLength, blockLength: interleave.blockLength ?? 1 }
        : { cycleLength: 1, blockLength: 1 },
      shuffle: shuffle
        ? {
            seed: own(shuffle.seed ?? seed),
            reshuffle: shuffle.reshuffleEachIteration ?? true,
            bufferSize: shuffle.bufferSize,
            mixShards: cycleLength,
            blockRecords: blockRecords(shuffle.bufferSize),
          }
        : null,
      copies,
    }
  }

  #combined(chain: CheckedChain): OrderNode {
    const { source } = chain.pipeline
    const inputs = chain.inputs.map((input) => this.node(input))
    if (source.type !== 'sampleFrom') return { kind: source.type === 'zip' ? 'zip' : 'concatenate', inputs }
    return {
      kind: 'sampleFrom',
      inputs,
      weights: source.weights ?? inputs.map(() => 1),
      seed: source.seed ?? this.#options.seed,
      stopOnEmpty: source.stopOnEmpty ?? false,
    }
  }

  #steps(input: OrderNode, stages: CheckedChain['order']['records']): OrderNode {
    let node = input
    for (const stage of stages) {
      if (stage.op === 'repeat') node = { kind: 'repeat', input: node, count: stage.count ?? null }
      else for (const step of stepOf(stage, this.#options.seed)) node = { kind: 'step', input: node, step }
    }
    return node
  }
}

function blockRecords(size: number | 'global'): number {
  return size === 'global' ? 1 : Math.max(1, Math.min(MOST_BLOCK_RECORDS, Math.floor(size / BLOCKS_PER_WINDOW)))
}

/** None for a shuffle with a buffer of one, which is tf.data's way to say: no shuffle. */
function stepOf(stage: ChainOrder['batches'][number], seed: number): Step[] {
  switch (stage.op) {
    case 'take':
    case 'skip':
      return [{ kind: stage.op, count: stage.count }]
    case 'shard':
      return [{ kind: 'shard', shards: stage.numShards, index: stage.index }]
    case 'shuffle': {
      const { bufferSize, reshuffleEachIteration: reshuffle = true } = stage
      return bufferSize === 1 ? [] : [{ kind: 'shuffle', bufferSize, seed: stage.seed ?? seed, reshuffle }]
    }
  }
}
