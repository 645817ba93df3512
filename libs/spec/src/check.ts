import type { OpDeclaration, SourceDeclaration } from './declare.js'
import {
  BytesOnTheWire,
  SpecInvalid,
  TooManyRepeats,
  UnknownOp,
  UnknownSource,
  WrongStageOrder,
} from './error-table.js'
import { StokerError } from './errors.js'
import { OPS } from './ops/index.js'
import type { Pipeline, Source, Stage, StageOf } from './pipeline.js'
import type { Signature } from './signature.js'
import { SOURCES } from './sources/index.js'
import { jsonPath, validate, withDefaults } from './validate.js'

/** The `order` ops of a chain, by what they do to the plan. */
export interface ChainOrder {
  readonly interleave: StageOf<'interleave'> | undefined
  readonly shuffle: StageOf<'shuffle'> | undefined
  /** A shuffle after batch permutes whole batches. */
  readonly batchShuffle: StageOf<'shuffle'> | undefined
  readonly batch: StageOf<'batch'>
  /** Times a record comes up before the shuffle, between shuffle and batch, and after batch. */
  readonly repeats: { readonly beforeShuffle: number; readonly beforeBatch: number; readonly afterBatch: number }
  readonly prefetch: StageOf<'prefetch'> | undefined
}

/** A pipeline that holds together: every op finds the fields it needs. */
export interface CheckedPipeline {
  /** With the schema's defaults filled in. */
  readonly pipeline: Pipeline
  readonly recordStages: readonly Stage[]
  /** Fields of a raw record, and of a record after the last record op: shapes without the batch dimension. */
  readonly sourceSignature: Signature
  readonly recordSignature: Signature
  readonly order: ChainOrder
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

function split(tag: 'type' | 'op', value: unknown, path: string): { name: string; params: object } {
  if (!isObject(value))
    throw SpecInvalid(path, 'is no object').with({ place: { path }, remedy: `write {"${tag}": ..., ...}` })
  const { [tag]: name, ...params } = value
  if (typeof name !== 'string') {
    throw SpecInvalid(`${path}.${tag}`, 'is missing').with({
      place: { path: `${path}.${tag}` },
      remedy: `name the ${tag}`,
    })
  }
  return { name, params }
}

function checkSource(value: unknown, path: string): { source: Source; declaration: SourceDeclaration; params: object } {
  const { name, params } = split('type', value, path)
  const declaration = Object.hasOwn(SOURCES, name)
    ? (SOURCES[name as keyof typeof SOURCES] as unknown as SourceDeclaration)
    : undefined
  if (!declaration) {
    throw UnknownSource(name).with({
      place: { path: `${path}.type` },
      remedy: `sources: ${Object.keys(SOURCES).join(', ')}`,
    })
  }
  validate(declaration.params, params, path)
  const filled = withDefaults(declaration.params, params)
  return { source: { type: name, ...filled } as Source, declaration, params: filled }
}

type AnyOp = OpDeclaration<string, OpDeclaration['params'], readonly unknown[]>

function checkStage(value: unknown, path: string): { stage: Stage; declaration: AnyOp; params: object } {
  const { name, params } = split('op', value, path)
  const declaration = Object.hasOwn(OPS, name) ? (OPS[name as keyof typeof OPS] as unknown as AnyOp) : undefined
  if (!declaration)
    throw UnknownOp(name).with({
      place: { path: `${path}.op`, op: name },
      remedy: `ops: ${Object.keys(OPS).join(', ')}`,
    })
  validate(declaration.params, params, path)
  const filled = withDefaults(declaration.params, params)
  return { stage: { op: name, ...filled } as Stage, declaration, params: filled }
}

/** Ops that work on each element alone may also stand after `batch`; they are run a record at a time all the same. */
const ELEMENTWISE: ReadonlySet<string> = new Set(['cast', 'scale'])

const MOST_BLENDED = 10_000
export const MOST_EPOCHS = 2 ** 31

/** Collects the order ops in one pass and refuses orders that mean nothing. */
class OrderCollector {
  interleave: StageOf<'interleave'> | undefined
  shuffle: StageOf<'shuffle'> | undefined
  batchShuffle: StageOf<'shuffle'> | undefined
  batch: StageOf<'batch'> | undefined
  prefetch: StageOf<'prefetch'> | undefined
  readonly repeats = { beforeShuffle: 1, beforeBatch: 1, afterBatch: 1 }

  add(stage: Stage, index: number, source: Source): void {
    if (stage.op === 'interleave') {
      if (index > 0) throw WrongStageOrder('interleave must be the first stage: it says how shards are read')
      if (source.type === 'range') throw WrongStageOrder('interleave needs shards, and a range has none')
      this.interleave = stage
    } else if (stage.op === 'shuffle') this.addShuffle(stage)
    else if (stage.op === 'batch') {
      if (this.batch) throw WrongStageOrder('a second batch would make batches of batches')
      this.batch = stage
    } else if (stage.op === 'prefetch') this.prefetch = stage
    else if (stage.op === 'repeat') this.addRepeat(stage)
    else if (this.batch && !ELEMENTWISE.has(stage.op)) {
      throw WrongStageOrder(`${stage.op} works on single records`).with({ remedy: `put ${stage.op} before batch` })
    }
  }

  private addShuffle(stage: StageOf<'shuffle'>): void {
    const earlier = this.batch ? this.batchShuffle : this.shuffle
    if (earlier)
      throw WrongStageOrder('a second shuffle changes nothing').with({ remedy: 'keep the one with the larger buffer' })
    if (this.batch && this.repeats.afterBatch > 1) {
      throw WrongStageOrder('shuffle after batch and repeat would blend epochs').with({ remedy: 'put repeat last' })
    }
    if (this.batch) this.batchShuffle = stage
    else this.shuffle = stage
  }

  private addRepeat(stage: StageOf<'repeat'>): void {
    if (stage.count === undefined && !this.batch) {
      throw WrongStageOrder('repeat without a count never ends').with({
        remedy: 'give it a count, or put it after batch and set epochs',
      })
    }
    const count = stage.count ?? 1
    if (this.batch) this.repeats.afterBatch *= count
    else if (this.shuffle) this.repeats.beforeBatch *= count
    else this.repeats.beforeShuffle *= count
    const { beforeShuffle, beforeBatch, afterBatch } = this.repeats
    const blended = Math.max(beforeShuffle, beforeBatch)
    // Passes that blend are laid end to end in memory, a shard at a time.
    if (blended > MOST_BLENDED)
      throw TooManyRepeats(blended, MOST_BLENDED).with({ remedy: 'put repeat after batch, or lower its count' })
    if (afterBatch > MOST_EPOCHS) throw TooManyRepeats(afterBatch, MOST_EPOCHS)
  }

  finish(): ChainOrder {
    if (!this.batch)
      throw WrongStageOrder('the chain has no batch').with({ remedy: 'add batch(size) after the record ops' })
    const { interleave, shuffle, batchShuffle, batch, prefetch, repeats } = this
    // Without a shuffle there is nothing to stand before.
    const merged = shuffle
      ? repeats
      : { ...repeats, beforeShuffle: 1, beforeBatch: repeats.beforeShuffle * repeats.beforeBatch }
    return { interleave, shuffle, batchShuffle, batch, prefetch, repeats: merged }
  }
}

function placedAt<Value>(path: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw error instanceof StokerError ? error.with({ place: { path } }) : error
  }
}

/**
 * Checks a whole chain: schema of the source and of each stage, and that each op finds the fields it needs.
 * @throws StokerError with `place.path` below `path`.
 */
export function checkPipeline(value: unknown, path = 'pipeline'): CheckedPipeline {
  if (!isObject(value))
    throw SpecInvalid(path, 'is no pipeline').with({
      place: { path },
      remedy: 'write {"source": {...}, "stages": [...]}',
    })
  for (const key of Object.keys(value)) {
    if (key !== 'source' && key !== 'stages') {
      throw SpecInvalid(`${path}.${key}`, 'there is no such property').with({
        place: { path: `${path}.${key}` },
        remedy: 'known here: source, stages',
      })
    }
  }
  if (!Array.isArray(value.stages) || value.stages.length > 256) {
    throw SpecInvalid(`${path}.stages`, 'is no list of at most 256 stages').with({
      place: { path: `${path}.stages` },
      remedy: 'write a list of {"op": ...}',
    })
  }
  const { source, declaration, params } = checkSource(value.source, `${path}.source`)
  const sourceSignature = placedAt(`${path}.source`, () => declaration.infer(params as never))
  let signature = sourceSignature
  const stages: Stage[] = []
  const recordStages: Stage[] = []
  const order = new OrderCollector()
  for (const [index, raw] of value.stages.entries()) {
    const at = jsonPath(path, `/stages/${index}`)
    const { stage, declaration: op, params: stageParams } = checkStage(raw, at)
    try {
      order.add(stage, index, source)
      if (op.kind === 'record') {
        signature = op.infer(signature, stageParams as never)
        recordStages.push(stage)
      }
    } catch (error) {
      throw error instanceof StokerError ? error.with({ place: { path: at, op: stage.op } }) : error
    }
    stages.push(stage)
  }
  for (const [field, spec] of Object.entries(signature)) {
    if (spec.dtype === 'string') throw BytesOnTheWire(field).with({ place: { path: `${path}.stages`, field } })
  }
  try {
    return {
      pipeline: { source, stages },
      recordStages,
      sourceSignature,
      recordSignature: signature,
      order: order.finish(),
    }
  } catch (error) {
    throw error instanceof StokerError ? error.with({ place: { path: `${path}.stages` } }) : error
  }
}
