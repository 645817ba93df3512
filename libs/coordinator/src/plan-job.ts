import { chooseCycleLength, chooseFeedKnobs } from '@stoker/autotune'
import { FORMATS, type FormatContext, withVocabularies } from '@stoker/formats'
import { createOrder, makePlan, type Plan, type ShardPin, sourceNodes, sourcesOf } from '@stoker/plan'
import { type CheckedJob, type CheckedPipeline, type Facts, type Finding, lint, parseJob } from '@stoker/spec'
import { BufferAboveRedis, EmptyDataset, EmptyEpoch, LintRefused } from './error-table.js'

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
  readonly context: FormatContext
  /** Redis `maxmemory` in bytes; 0 or absent when there is none. */
  readonly redisMaxBytes?: number
}): Promise<PlannedJob> {
  const { context, redisMaxBytes = 0 } = options
  const checked = parseJob(await withVocabularies(options.document, context.store))
  if (redisMaxBytes > 0 && checked.bufferBytes > redisMaxBytes)
    throw BufferAboveRedis(checked.bufferBytes, redisMaxBytes)
  const { validation: chain } = checked
  const bufferBytes = chain ? Math.floor(checked.bufferBytes * (1 - VALIDATION_SHARE)) : checked.bufferBytes
  const plan = planFeed(checked, checked.checked, await pinSources(checked.checked, context), bufferBytes)
  const findings = lint(checked, factsOf(plan))
  refuse(findings, checked.job.strict ?? false)
  refuseEmpty(plan)
  const validation = chain
    ? planFeed(checked, chain, await pinSources(chain, context), checked.bufferBytes - bufferBytes)
    : undefined
  if (validation) refuseEmpty(validation)
  return { checked, plan, validation, findings }
}

/**
 * Lists and pins the shards of every source of a chain, in the order of `sourcesOf`.
 * @throws StokerError when a pattern matches nothing or an object cannot be seen
 */
export async function pinSources(chain: CheckedPipeline, context: FormatContext): Promise<ShardPin[][]> {
  const pins: ShardPin[][] = []
  for (const { source } of sourcesOf(chain)) pins.push(await FORMATS[source.type].pin(source, context))
  return pins
}

/** The plan of one feed from what is pinned. */
export function planFeed(
  checked: CheckedJob,
  chain: CheckedPipeline,
  pins: readonly (readonly ShardPin[])[],
  bufferBytes: number,
): Plan {
  const cycleLengths = sourcesOf(chain).map((one, at) => chooseCycleLength(one.chain.order, pins[at]?.length ?? 0))
  const planOf = (feed: { windowBatches: number; taskBatches: number }) =>
    makePlan({ checked, chain, pins, knobs: { cycleLengths, ...feed }, epochs: checked.epochs, bufferBytes })
  // The bytes of a batch come with the plan, and only the window depends on them.
  const { batchBytes } = planOf({ windowBatches: 1, taskBatches: 1 })
  return planOf(chooseFeedKnobs(chain.order, { batchBytes, bufferBytes }))
}

/** What the lint may know before any shard is read. */
export function factsOf(plan: Plan): Facts {
  const records = orderNow(plan).recordsIn(0)
  return {
    shards: plan.shards.length,
    ...(records === undefined ? {} : { records }),
    ...(plan.batchBytes === null ? {} : { batchBytes: plan.batchBytes }),
  }
}

/** What the lint may know without touching any data. */
export function factsOffline(checked: CheckedJob): Facts {
  const chain = checked.checked
  const pins = sourcesOf(chain).map(() => [NOT_LISTED])
  const { shards: _notListed, ...facts } = factsOf(planFeed(checked, chain, pins, checked.bufferBytes))
  return facts
}

const NOT_LISTED: ShardPin = { uri: '', size: 0, etag: '' }

/** The order as far as sources say their counts without being read. */
const orderNow = (plan: Plan) => createOrder(plan.order, countsNow(plan))

function countsNow({ producer, shards }: Plan): (number | undefined)[] {
  const counts: (number | undefined)[] = new Array(shards.length).fill(undefined)
  for (const { source, first, selectStages } of sourceNodes(producer)) {
    const count = FORMATS[source.type].countNow?.(source)
    if (count !== undefined && selectStages.length === 0) counts[first] = count
  }
  return counts
}

/** Some sources say beforehand that they are empty; of shards it is known once they are indexed. */
function refuseEmpty(plan: Plan): void {
  const order = orderNow(plan)
  const records = order.recordsIn(0)
  if (records === undefined || order.batchesIn(0) !== 0) return
  throw records === 0 ? EmptyDataset(plan.shards.length) : EmptyEpoch(records, plan.order.batch.size)
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
