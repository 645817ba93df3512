import type { TSchema } from 'typebox'
import type { SourceDeclaration } from '../declare.js'
import { suggestion } from '../did-you-mean.js'
import { BytesOnTheWire, NoFields, SpecInvalid, UnknownOp, UnknownSource, WrongStageOrder } from '../error-table.js'
import { StokerError } from '../errors.js'
import { type AnyOp, listOps, opDeclaration } from '../ops/registry.js'
import type { Pipeline, Source, Stage } from '../pipeline.js'
import type { Signature } from '../signature.js'
import { COMBINED, type CombinedName, type CombinedParams } from '../sources/combined.js'
import { SOURCES } from '../sources/index.js'
import { jsonPath, validate, withDefaults } from '../validate.js'
import { checkWeights, combinedSignature } from './combined.js'
import { type ChainOrder, OrderCollector, type RecordOrder } from './order-steps.js'

/** A chain without batch that holds together: every op finds the fields it needs. */
export interface CheckedChain {
  /** With the schema's defaults filled in. */
  readonly pipeline: Pipeline
  /** The inputs of a combined source. */
  readonly inputs: readonly CheckedChain[]
  /** What is evaluated when a shard is indexed: all record ops up to the last select op. */
  readonly selectStages: readonly Stage[]
  /** The record ops after them. */
  readonly recordStages: readonly Stage[]
  /** Fields of a record in front of the first of `recordStages`, and behind the last op. */
  readonly sourceSignature: Signature
  readonly recordSignature: Signature
  readonly order: RecordOrder
}

/** A whole pipeline. Shapes in `recordSignature` leave the batch dimension out. */
export interface CheckedPipeline extends CheckedChain {
  /** What runs on whole batches, after `recordStages`. */
  readonly batchStages: readonly Stage[]
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

function filledIn(schema: TSchema, params: object, path: string): object {
  validate(schema, params, path)
  return withDefaults(schema, params)
}

interface CheckedSource {
  readonly source: Source
  readonly inputs: readonly CheckedChain[]
  readonly signature: Signature
  readonly facts: { readonly readsShards: boolean; readonly isEndless: boolean }
}

function checkSource(value: unknown, path: string): CheckedSource {
  const { name, params } = split('type', value, path)
  if (Object.hasOwn(COMBINED, name)) return checkCombined(name as CombinedName, params, path)
  if (!Object.hasOwn(SOURCES, name)) {
    throw UnknownSource(name).with({
      place: { path: `${path}.type` },
      remedy: suggestion(name, [...Object.keys(SOURCES), ...Object.keys(COMBINED)], 'sources'),
    })
  }
  const declaration = SOURCES[name as keyof typeof SOURCES] as unknown as SourceDeclaration
  const filled = filledIn(declaration.params, params, path)
  return {
    source: { type: name, ...filled } as Source,
    inputs: [],
    signature: placedAt(path, () => declaration.infer(filled as never)),
    facts: { readsShards: declaration.readsShards, isEndless: false },
  }
}

/** Parameters of any combined source, after validation against its own schema. */
type CombinedFields = { readonly inputs: readonly unknown[] } & CombinedParams<'sampleFrom'>

function checkCombined(name: CombinedName, params: object, path: string): CheckedSource {
  const filled = filledIn(COMBINED[name].params, params, path) as CombinedFields
  const inputs = filled.inputs.map((input, index) => checkChain(input, `${path}.inputs[${index}]`))
  const signatures = inputs.map(({ recordSignature }) => recordSignature)
  const signature = placedAt(path, () => {
    checkWeights(filled.weights, inputs.length)
    return combinedSignature(name, signatures)
  })
  const stopsEarly = name === 'zip' || filled.stopOnEmpty === true
  const endless = inputs.filter(({ order }) => order.isEndless).length
  return {
    source: { ...filled, type: name, inputs: inputs.map(({ pipeline }) => pipeline) } as Source,
    inputs,
    signature,
    facts: { readsShards: false, isEndless: stopsEarly ? endless === inputs.length : endless > 0 },
  }
}

function checkStage(value: unknown, path: string): { stage: Stage; declaration: AnyOp; params: object } {
  const { name, params } = split('op', value, path)
  const declaration = opDeclaration(name)
  if (!declaration) {
    const known = listOps().map((op) => op.name)
    throw UnknownOp(name).with({ place: { path: `${path}.op`, op: name }, remedy: suggestion(name, known, 'ops') })
  }
  const filled = filledIn(declaration.params, params, path)
  return { stage: { op: name, ...filled } as Stage, declaration, params: filled }
}

function placedAt<Value>(path: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    throw error instanceof StokerError ? error.with({ place: { path } }) : error
  }
}

/** Record and batch stages of a chain, in order, with the signature that each leaves behind. */
class StageCollector {
  readonly select: Stage[] = []
  readonly record: Stage[] = []
  readonly batch: Stage[] = []
  #source: Signature
  #current: Signature
  #randomOp: string | undefined

  constructor(source: Signature) {
    this.#source = source
    this.#current = source
  }

  add(stage: Stage, declaration: AnyOp, params: object, isCombined: boolean): void {
    const { kind, name } = declaration
    if (kind === 'select') {
      if (isCombined) {
        throw WrongStageOrder(`${name} is evaluated when a shard is indexed, and combined sources have no shards`).with(
          {
            remedy: `put ${name} into the inputs`,
          },
        )
      }
      if (this.#randomOp) {
        throw WrongStageOrder(`${name} after ${this.#randomOp} would keep other records in each epoch`).with({
          remedy: `put ${name} before ${this.#randomOp}`,
        })
      }
    }
    this.#current = declaration.infer(this.#current, params as never)
    if (kind === 'select') {
      this.select.push(...this.record.splice(0), stage)
      this.#source = this.#current
    } else if (kind === 'batch' || (kind === 'record' && this.batch.length > 0)) this.batch.push(stage)
    else if (kind === 'record') {
      if (declaration.random) this.#randomOp ??= name
      this.record.push(stage)
    }
  }

  get signatures(): Pick<CheckedChain, 'sourceSignature' | 'recordSignature'> {
    return { sourceSignature: this.#source, recordSignature: this.#current }
  }
}

interface Collected {
  readonly checked: Omit<CheckedChain, 'order'>
  readonly batchStages: readonly Stage[]
  readonly order: OrderCollector
}

function collect(value: unknown, path: string, isNested: boolean): Collected {
  const { source: rawSource, stages: rawStages } = pipelineParts(value, path)
  const { source, inputs, signature, facts } = checkSource(rawSource, `${path}.source`)
  const stages: Stage[] = []
  const collected = new StageCollector(signature)
  const order = new OrderCollector(facts, isNested)
  for (const [index, raw] of rawStages.entries()) {
    const at = jsonPath(path, `/stages/${index}`)
    const { stage, declaration, params } = checkStage(raw, at)
    try {
      order.add(stage, index)
      collected.add(stage, declaration, params, inputs.length > 0)
    } catch (error) {
      throw error instanceof StokerError ? error.with({ place: { path: at, op: stage.op } }) : error
    }
    stages.push(stage)
  }
  const { select, record, batch, signatures } = collected
  return {
    checked: { pipeline: { source, stages }, inputs, selectStages: select, recordStages: record, ...signatures },
    batchStages: batch,
    order,
  }
}

function pipelineParts(value: unknown, path: string): { source: unknown; stages: readonly unknown[] } {
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
  const { source, stages } = value
  if (!Array.isArray(stages) || stages.length > 256) {
    throw SpecInvalid(`${path}.stages`, 'is no list of at most 256 stages').with({
      place: { path: `${path}.stages` },
      remedy: 'write a list of {"op": ...}',
    })
  }
  return { source, stages }
}

/**
 * Checks a chain that ends in records: an input of a combined source, or one that is only looked at.
 * @throws StokerError with `place.path` below `path`.
 */
export function checkChain(value: unknown, path = 'pipeline'): CheckedChain {
  const { checked, order } = collect(value, path, true)
  return { ...checked, order: order.records() }
}

/**
 * Checks a whole chain: schema of the source and of each stage, and that each op finds the fields it needs.
 * @throws StokerError with `place.path` below `path`.
 */
export function checkPipeline(value: unknown, path = 'pipeline'): CheckedPipeline {
  const { checked, batchStages, order } = collect(value, path, false)
  const fields = Object.entries(checked.recordSignature)
  if (fields.length === 0) throw NoFields().with({ place: { path: `${path}.source` } })
  for (const [field, spec] of fields) {
    if (spec.dtype === 'string') throw BytesOnTheWire(field).with({ place: { path: `${path}.stages`, field } })
  }
  return { ...checked, batchStages, order: placedAt(`${path}.stages`, () => order.finish()) }
}
