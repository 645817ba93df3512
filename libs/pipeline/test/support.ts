import { decodeBatch, typedView } from '@stoker/buffer'
import { FORMATS, type FormatContext } from '@stoker/formats'
import { createOrder, makePlan, type Plan, sourcesOf } from '@stoker/plan'
import { parseJob } from '@stoker/spec'
import { countRecords, createBatchMaker } from '../src/index.js'

/** The plan of a feed-only job, pinned as the coordinator does it. */
export async function planOf(document: object, context: FormatContext): Promise<Plan> {
  const checked = parseJob(JSON.parse(JSON.stringify(document)))
  const chain = checked.checked
  const sources = sourcesOf(chain)
  const pins = await Promise.all(sources.map(({ source }) => FORMATS[source.type].pin(source, context)))
  const knobs = { cycleLengths: sources.map(() => 2), windowBatches: 8, taskBatches: 2 }
  return makePlan({ checked, chain, pins, knobs, epochs: checked.epochs, bufferBytes: 1 << 20 })
}

export const countsOf = (plan: Plan, context: FormatContext): Promise<number[]> =>
  Promise.all(plan.shards.map((_, shard) => countRecords(plan, shard, context)))

/** Every batch of an epoch. */
export async function batchesOf(plan: Plan, context: FormatContext, epoch = 0): Promise<Uint8Array[]> {
  const counts = await countsOf(plan, context)
  const total = createOrder(plan.order, counts).batchesIn(epoch) ?? 0
  const batches: Uint8Array[] = []
  if (total === 0) return batches
  const maker = createBatchMaker({ job: 'test', plan, context }, counts)
  for await (const { bytes } of maker.make(epoch, 0, total)) batches.push(bytes)
  return batches
}

export interface Values {
  readonly shape: readonly number[]
  readonly values: number[]
}

/** Tensors of a batch by name. */
export function valuesOf(bytes: Uint8Array): Record<string, Values> {
  const tensors = decodeBatch(bytes).tensors.map((tensor): [string, Values] => [
    tensor.name,
    { shape: tensor.shape, values: Array.from(typedView(tensor) as ArrayLike<number | bigint>, Number) },
  ])
  return Object.fromEntries(tensors)
}
