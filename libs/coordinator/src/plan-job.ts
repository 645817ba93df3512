import { chooseKnobs } from '@stoker/autotune'
import { makePlan, type Plan, planWire, type ShardPin, wireBytes } from '@stoker/plan'
import {
  type CheckedJob,
  type CheckedPipeline,
  type Facts,
  type Finding,
  lint,
  parseJob,
  rangeCount,
} from '@stoker/spec'
import type { ObjectStore } from '@stoker/storage'
import { BufferAboveRedis, EmptyDataset, EmptyEpoch, LintRefused } from './error-table.js'
import { pinShards } from './pin-shards.js'

/** A job that may start: its feeds are planned and its findings are warnings at most. */
export interface PlannedJob {
  readonly checked: CheckedJob
  readonly plan: Plan
  /** Plan of the validation feed, where the job has one. */
  readonly validation: Plan | undefined
  readonly findings: readonly Finding[]
}

/** Share of the byte budget that goes to the validation feed. */
const VALIDATION_SHARE = 0.25

/**
 * Checks a submitted document, pins its shards and plans its feeds.
 * @throws StokerError (4xx) that says what to change.
 */
export async function planJob(options: {
  readonly document: unknown
  readonly store: ObjectStore
  /** Redis `maxmemory` in bytes; 0 or absent when there is none. */
  readonly redisMaxBytes?: number
  readonly signal?: AbortSignal
}): Promise<PlannedJob> {
  const { store, redisMaxBytes = 0, signal } = options
  const checked = parseJob(options.document)
  if (redisMaxBytes > 0 && checked.bufferBytes > redisMaxBytes)
    throw BufferAboveRedis(checked.bufferBytes, redisMaxBytes)
  const { validation: chain } = checked
  const bufferBytes = chain ? Math.floor(checked.bufferBytes * (1 - VALIDATION_SHARE)) : checked.bufferBytes
  const shards = await pinShards(checked.checked.pipeline.source, store, signal)
  const findings = lint(checked, factsOf(checked, checked.checked, shards))
  refuse(findings, checked.job.strict ?? false)
  refuseEmpty(checked.checked)
  if (chain) refuseEmpty(chain)
  const plan = planFeed(checked, checked.checked, shards, bufferBytes)
  const validation = chain
    ? planFeed(checked, chain, await pinShards(chain.pipeline.source, store, signal), checked.bufferBytes - bufferBytes)
    : undefined
  return { checked, plan, validation, findings }
}

/** What the lint may know before any shard is read. */
export function factsOf(checked: CheckedJob, chain: CheckedPipeline, shards: readonly ShardPin[]): Facts {
  const { source } = chain.pipeline
  const bytes = batchBytes(checked, chain)
  return {
    shards: shards.length,
    ...(source.type === 'range' ? { records: rangeCount(source) } : {}),
    ...(bytes === null ? {} : { batchBytes: bytes }),
  }
}

function batchBytes(checked: CheckedJob, chain: CheckedPipeline): number | null {
  const wire = planWire(chain.sourceSignature, chain.recordStages, checked.job.wire ?? 'auto')
  return wireBytes(wire.fields, chain.order.batch.size)
}

function planFeed(checked: CheckedJob, chain: CheckedPipeline, shards: readonly ShardPin[], bufferBytes: number): Plan {
  const facts = { shards: shards.length, batchBytes: batchBytes(checked, chain), bufferBytes }
  return makePlan({
    checked,
    chain,
    shards,
    knobs: chooseKnobs(chain.order, facts),
    epochs: checked.epochs,
    bufferBytes,
  })
}

/** A range says beforehand that it is empty; of shards it is known once they are indexed. */
function refuseEmpty({ pipeline: { source }, order: { batch, repeats } }: CheckedPipeline): void {
  if (source.type !== 'range') return
  const records = rangeCount(source) * repeats.beforeShuffle * repeats.beforeBatch
  if (records === 0) throw EmptyDataset(1)
  if (batch.dropRemainder && records < batch.size) throw EmptyEpoch(records, batch.size)
}

function refuse(findings: readonly Finding[], strict: boolean): void {
  const fatal = findings.filter(({ level }) => strict || level === 'error')
  const [first] = fatal
  if (!first) return
  const more =
    fatal.length > 1
      ? ` (and ${fatal.length - 1} more: ${fatal
          .slice(1)
          .map(({ code }) => code)
          .join(', ')})`
      : ''
  throw LintRefused(`${first.message}${more}`).with({ place: { path: first.path }, remedy: first.fix })
}
