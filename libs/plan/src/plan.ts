import { type CheckedJob, type CheckedPipeline, DTYPE_BYTES, hashJson, type Source } from '@stoker/spec'
import type { OrderSpec } from './order/order.js'
import { planWire, type WirePlan } from './wire.js'

/** One shard as it was when the job was submitted. */
export interface ShardPin {
  readonly uri: string
  readonly size: number
  readonly etag: string
}

/** Knobs that are fixed when the plan is made. Only `cycleLength` touches order. */
export interface PlanKnobs {
  readonly cycleLength: number
  /** Most batches between the consumer's cursor and the last released one. */
  readonly windowBatches: number
  readonly taskBatches: number
}

/** All that a worker needs to make any batch of a feed. Plain JSON. */
export interface Plan {
  readonly source: Source
  readonly shards: readonly ShardPin[]
  readonly order: OrderSpec
  readonly wire: WirePlan
  readonly knobs: PlanKnobs
  /** Bytes of a full batch's tensors, where all shapes are known beforehand. */
  readonly batchBytes: number | null
  readonly bufferBytes: number
  readonly deterministic: boolean
  /** SHA-256 over all that the bytes of a batch depend on. */
  readonly planHash: string
}

/** Bytes of a batch of `size` records on the wire; null where a dimension is known only at run time. */
export function wireBytes(fields: WirePlan['fields'], size: number): number | null {
  let bytes = 0
  for (const { dtype, shape } of Object.values(fields)) {
    let elements = size
    for (const dim of shape) {
      if (dim === null) return null
      elements *= dim
    }
    bytes += elements * DTYPE_BYTES[dtype]
  }
  return bytes
}

// Records that stay together when blocks are permuted: a window gathers from at least this many blocks.
const BLOCKS_PER_WINDOW = 16
const MOST_BLOCK_RECORDS = 256

/** The order of a checked chain. */
export function orderSpec(
  chain: CheckedPipeline,
  options: { seed: number; epochs: number; cycleLength: number },
): OrderSpec {
  const { interleave, shuffle, batchShuffle, batch, repeats } = chain.order
  const { source } = chain.pipeline
  const seeded = (stage: NonNullable<typeof shuffle>) => ({
    seed: stage.seed ?? options.seed,
    reshuffle: stage.reshuffleEachIteration ?? true,
  })
  const blockRecords = (size: number | 'global') =>
    size === 'global' ? 1 : Math.max(1, Math.min(MOST_BLOCK_RECORDS, Math.floor(size / BLOCKS_PER_WINDOW)))
  return {
    seed: options.seed,
    epochs: options.epochs,
    shardShuffle: source.type === 'tfrecord' && source.shuffle === true,
    interleave: interleave
      ? { cycleLength: options.cycleLength, blockLength: interleave.blockLength ?? 1 }
      : { cycleLength: 1, blockLength: 1 },
    // A buffer of one record is tf.data's way to say: no shuffle.
    shuffle:
      shuffle && shuffle.bufferSize !== 1
        ? {
            ...seeded(shuffle),
            bufferSize: shuffle.bufferSize,
            mixShards: options.cycleLength,
            blockRecords: blockRecords(shuffle.bufferSize),
          }
        : null,
    batchShuffle:
      batchShuffle && batchShuffle.bufferSize !== 1
        ? { ...seeded(batchShuffle), bufferSize: batchShuffle.bufferSize }
        : null,
    repeats: { beforeShuffle: repeats.beforeShuffle, beforeBatch: repeats.beforeBatch },
    batch: { size: batch.size, dropRemainder: batch.dropRemainder ?? false },
  }
}

/** The plan of one feed: of the training chain, or of the validation chain. */
export function makePlan(options: {
  readonly checked: CheckedJob
  readonly chain: CheckedPipeline
  readonly shards: readonly ShardPin[]
  readonly knobs: PlanKnobs
  readonly epochs: number
  readonly bufferBytes: number
}): Plan {
  const { checked, chain, shards, knobs, epochs, bufferBytes } = options
  const { job } = checked
  const order = orderSpec(chain, { seed: job.seed ?? 0, epochs, cycleLength: knobs.cycleLength })
  const wire = planWire(chain.sourceSignature, chain.recordStages, job.wire ?? 'auto')
  const { source } = chain.pipeline
  return {
    source,
    shards,
    order,
    wire,
    knobs,
    batchBytes: wireBytes(wire.fields, order.batch.size),
    bufferBytes,
    deterministic: job.deterministic ?? true,
    planHash: hashJson({ source, shards, order, wire }),
  }
}
