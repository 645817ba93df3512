import { FORMATS, type Format, type RecordFields } from '@stoker/formats'
import type { RecordRef } from '@stoker/plan'
import type { CheckedChain, LeafSource, Stage } from '@stoker/spec'
import { drawKey } from '../record-source.js'
import { type RawRecord, type ReadContext, rawRecords, type Window } from './raw-records.js'
import { compileSteps, type StageResult } from './stage-steps.js'

/** A record on its way through a chain. */
export interface ChainRecord {
  readonly raw: RawRecord
  /** As the stages of this chain found it. */
  readonly fields?: RecordFields
  readonly stages: readonly StageResult[]
  readonly ref?: RecordRef
  readonly part?: number
  readonly error?: unknown
}

/** What the parts of one walk share. */
export class Walk {
  /** Shards of the sources walked so far: a plan numbers them on. */
  shards = 0
  /** Input chains so far: each draws its own numbers. */
  salts = 0
  constructor(
    readonly seed: number,
    readonly context: ReadContext,
  ) {}
}

type Records = AsyncGenerator<ChainRecord, void, undefined>

/**
 * Records of a chain after all its stages, those of its inputs first.
 *
 * @param salt gives the number by which random ops of this chain differ from those of others
 * @param window counts records of the source
 */
export async function chainRecords(
  { pipeline, inputs, selectStages, recordStages }: CheckedChain,
  more: readonly Stage[],
  salt: () => number,
  window: Window,
  walk: Walk,
): Promise<Records> {
  const stages = [...selectStages, ...recordStages, ...more]
  // Only combined sources have inputs.
  if (inputs.length === 0) return leafRecords(pipeline.source as LeafSource, stages, salt(), window, walk)
  const opened: Records[] = []
  const all = { skip: 0, take: Number.POSITIVE_INFINITY }
  // One after the other, each numbered behind its own inputs, as a plan does.
  for (const input of inputs) opened.push(await chainRecords(input, [], () => ++walk.salts, all, walk))
  const joined = pipeline.source.type === 'zip' ? zipped(opened) : oneAfterAnother(opened)
  return sharedStages(windowed(joined, window), stages, salt(), walk)
}

async function leafRecords(
  source: LeafSource,
  stages: readonly Stage[],
  salt: number,
  window: Window,
  walk: Walk,
): Promise<Records> {
  const { context, seed } = walk
  const pins = await (FORMATS[source.type] as Format).pin(source, context)
  const first = walk.shards
  walk.shards += pins.length
  const run = compileSteps(stages, salt)
  const keyOf = (ref: RecordRef) => drawKey(seed, 0, ref)
  return (async function* () {
    let shard = -1
    let counted = 0
    for await (const raw of rawRecords(source, pins, window, context)) {
      if (raw.shardAt !== shard) [shard, counted] = [raw.shardAt, 0]
      if (!raw.fields) yield { raw, stages: [], error: raw.error }
      else {
        const nextRef = () => ({ shard: first + raw.shardAt, record: counted++ })
        for (const way of await run(raw.fields, { nextRef, keyOf })) yield { raw, fields: raw.fields, ...way }
      }
    }
  })()
}

async function* sharedStages(records: Records, stages: readonly Stage[], salt: number, walk: Walk): Records {
  const run = compileSteps(stages, salt)
  const keyOf = (ref: RecordRef) => drawKey(walk.seed, 0, ref)
  for await (const record of records) {
    const fields = finalFields(record)
    const { ref } = record
    if (!fields || !ref || record.error !== undefined) yield record
    else for (const way of await run(fields, { nextRef: () => ref, keyOf })) yield { ...record, fields, ...way }
  }
}

/** The record as it leaves its chain; undefined when a stage left it out. */
export const finalFields = ({ fields, stages }: ChainRecord): RecordFields | undefined => {
  const last = stages.at(-1)
  return last ? last.fields : fields
}

async function* oneAfterAnother(inputs: readonly Records[]): Records {
  for (const input of inputs) yield* input
}

async function* zipped(inputs: readonly Records[]): Records {
  for (;;) {
    const records: ChainRecord[] = []
    for (const input of inputs) {
      const next = await nextKept(input)
      if (!next) return
      records.push(next)
    }
    const [first] = records
    const bad = records.find(({ error }) => error !== undefined)
    if (bad || !first) {
      if (bad) yield bad
      continue
    }
    const refs = records.flatMap(({ ref }) => (ref ? [ref] : []))
    const fields: RecordFields = Object.assign({}, ...records.map(finalFields))
    yield { raw: first.raw, fields, stages: [], ref: { ...(refs[0] ?? { shard: 0, record: 0 }), parts: refs } }
  }
}

/** The next record that was not left out; a bad one keeps its place beside its neighbours. */
async function nextKept(records: Records): Promise<ChainRecord | undefined> {
  for (;;) {
    const { value, done } = await records.next()
    if (done || !value) return undefined
    if (value.error !== undefined || finalFields(value)) return value
  }
}

async function* windowed(records: Records, { skip, take }: Window): Records {
  let at = 0
  if (take <= 0) return
  for await (const record of records) {
    if (at++ < skip) continue
    yield record
    if (at >= skip + take) return
  }
}
