import { type CheckedJob, type CheckedPipeline, DTYPE_BYTES, hashJson } from '@stoker/spec'
import type { OrderSpec } from './order/order.js'
import { orderSpec } from './plan-order.js'
import { type ProducerNode, planProducer } from './producer.js'
import { planWire, type WirePlan } from './wire.js'

/** One shard as it was when the job was submitted. */
export interface ShardPin {
  readonly uri: string
  readonly size: number
  readonly etag: string
}

/** Knobs that are fixed when the plan is made. Only `cycleLengths` touches order: one number a source. */
export interface PlanKnobs {
  readonly cycleLengths: readonly number[]
  /** Most batches between the consumer's cursor and the last released one. */
  readonly windowBatches: number
  readonly taskBatches: number
}

/** Values that fill up a field of a batch at the end of each dimension, by field; 0 where none is given. */
export interface Padding {
  readonly values: Readonly<Record<string, number | string>>
}

/** All that a worker needs to make any batch of a feed. Plain JSON. */
export interface Plan {
  /** The shards of all sources, source by source. */
  readonly shards: readonly ShardPin[]
  /** How a record is made before the stages of the wire plan run on it. */
  readonly producer: ProducerNode
  readonly order: OrderSpec
  readonly wire: WirePlan
  /** How records of unequal shapes are stacked; null refuses them. */
  readonly padding: Padding | null
  readonly knobs: PlanKnobs
  /** Bytes of a full batch's tensors, where all shapes are known beforehand. */
  readonly batchBytes: number | null
  readonly bufferBytes: number
  readonly deterministic: boolean
  readonly onBadRecord: 'fail' | 'skip' | 'substitute'
  /** Most bad records before the job fails, as a share of all records. */
  readonly maxBadFraction: number
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

/** The plan of one feed: of the training chain, or of the validation chain. */
export function makePlan(options: {
  readonly checked: CheckedJob
  readonly chain: CheckedPipeline
  /** Pins of each source, in the order in which `sourcesOf` names them. */
  readonly pins: readonly (readonly ShardPin[])[]
  readonly knobs: PlanKnobs
  readonly epochs: number
  readonly bufferBytes: number
}): Plan {
  const { checked, chain, pins, knobs, epochs, bufferBytes } = options
  const { job } = checked
  const { batch } = chain.order
  const shards = pins.flat()
  const counts = pins.map(({ length }) => length)
  const order = orderSpec(chain, { seed: job.seed ?? 0, epochs, cycleLengths: knobs.cycleLengths, counts })
  const wire = planWire(chain, job.wire ?? 'auto')
  const producer = planProducer(chain, counts)
  const onBadRecord = job.onBadRecord ?? 'fail'
  const padding = batch.op === 'paddedBatch' ? { values: batch.paddingValues ?? {} } : null
  return {
    shards,
    producer,
    order,
    wire,
    padding,
    knobs,
    batchBytes: wireBytes(wire.fields, batch.size),
    bufferBytes,
    deterministic: job.deterministic ?? true,
    onBadRecord,
    maxBadFraction: job.maxBadFraction ?? 1,
    planHash: hashJson({ producer, shards, order, wire, padding, onBadRecord }),
  }
}
