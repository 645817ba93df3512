import type { RecordFields } from '@stoker/formats'
import { keyOf } from '@stoker/plan'
import { opDeclaration, toStokerError, type WorkerStage } from '@stoker/spec'
import { OpMissing } from './error-table.js'
import type { BatchFunction, Drawing, RecordAt, RecordFunction } from './kernel.js'
import { type CompiledKernel, kernelOf } from './kernel-of.js'

type Value<Result> = Result | Promise<Result>

/**
 * Compiles the record stages of a chain, in order, into one function over a record. It answers without a promise as long
 * as every kernel does. Errors carry op and field; the caller adds shard, record and offset.
 *
 * @param salt tells the chains of one pipeline apart, so that no two random ops draw the same numbers
 */
export function compileStages(stages: readonly WorkerStage[], salt = 0): RecordFunction {
  return chained(stages, salt, (stage) => {
    const kernel = compiled(stage)
    return kernel?.kind === 'record' ? kernel.compile(paramsOf(stage)) : undefined
  })
}

/** Compiles the batch stages of a chain, likewise; the drawing's key is that of the batch. */
export function compileBatchStages(stages: readonly WorkerStage[], salt = 0): BatchFunction {
  return chained(stages, salt, (stage) => {
    const kernel = compiled(stage)
    return kernel?.kind === 'batch' ? kernel.compile(paramsOf(stage)) : undefined
  })
}

/** What a record stands for after record and select stages: none, one or several records, in order. */
export type Expand = (record: RecordFields, at?: () => RecordAt) => Promise<readonly RecordFields[]>

/** Compiles a chain of record and select stages; random ops have no place in it, since shards are indexed once. */
export function compileExpand(stages: readonly WorkerStage[]): Expand {
  const steps = stages.map((stage): ((record: RecordFields, drawing: Drawing) => Value<readonly RecordFields[]>) => {
    const kernel = compiled(stage)
    if (kernel?.kind === 'select') return placed(stage, kernel.compile(paramsOf(stage)))
    const run = compileStages([stage])
    return async (record, drawing) => [await run(record, drawing)]
  })
  return async (record, at) => {
    const drawing: Drawing = { key: 0, ...(at ? { at } : {}) }
    let records: readonly RecordFields[] = [record]
    for (const step of steps) records = (await Promise.all(records.map((one) => step(one, drawing)))).flat()
    return records
  }
}

/** @throws OpMissing for an op that no module loaded here has */
function compiled(stage: WorkerStage): CompiledKernel | undefined {
  if (!opDeclaration(stage.op)) throw OpMissing(stage.op).with({ place: { op: stage.op } })
  return kernelOf(stage.op)
}

type Step<Fields> = (fields: Fields, drawing: Drawing) => Value<Fields>

function chained<Fields>(
  stages: readonly WorkerStage[],
  salt: number,
  compile: (stage: WorkerStage) => Step<Fields> | undefined,
): Step<Fields> {
  let draws = 0
  const steps = stages.map((stage): Step<Fields> => {
    const step = compile(stage)
    if (!step) throw new TypeError(`${stage.op} has no kernel here`)
    const run = placed(stage, step)
    if (!opDeclaration(stage.op)?.random) return run
    // Counted among random ops alone: moving a cast to the consumer changes no draw.
    const draw = draws++
    return (fields, drawing) => run(fields, { ...drawing, key: keyOf(drawing.key, salt, draw) })
  })
  const runFrom = (from: number, fields: Fields, drawing: Drawing): Value<Fields> => {
    let current = fields
    for (let at = from; at < steps.length; at++) {
      const next = steps[at]?.(current, drawing) ?? current
      if (next instanceof Promise) return next.then((value) => runFrom(at + 1, value, drawing))
      current = next
    }
    return current
  }
  return (fields, drawing) => runFrom(0, fields, drawing)
}

function paramsOf({ op, ...params }: WorkerStage): object {
  // A stage is checked against the schema of its op before it comes here.
  return params
}

/** The step with op and field added to its errors. */
function placed<Args extends readonly unknown[], Result>(
  stage: WorkerStage,
  step: (...args: Args) => Value<Result>,
): (...args: Args) => Value<Result> {
  const place =
    'field' in stage && typeof stage.field === 'string' ? { op: stage.op, field: stage.field } : { op: stage.op }
  const fail = (error: unknown): never => {
    throw toStokerError(error).with({ place })
  }
  return (...args) => {
    try {
      const result = step(...args)
      return result instanceof Promise ? result.catch(fail) : result
    } catch (error) {
      return fail(error)
    }
  }
}
