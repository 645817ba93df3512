import type { RecordFields } from '@stoker/formats'
import { keyOf } from '@stoker/plan'
import { OPS, type OpDeclaration, toStokerError, type WorkerStage } from '@stoker/spec'
import { BATCH_KERNELS } from './batch-kernels/index.js'
import type { BatchFunction, BatchKernel, Drawing, Kernel, RecordFunction, SelectKernel } from './kernel.js'
import { KERNELS } from './kernels/index.js'
import { SELECT_KERNELS } from './select-kernels/index.js'

type Value<Result> = Result | Promise<Result>

/**
 * Compiles the record stages of a chain, in order, into one function over a record. It answers without a promise as long
 * as every kernel does. Errors carry op and field; the caller adds shard, record and offset.
 *
 * @param salt tells the chains of one pipeline apart, so that no two random ops draw the same numbers
 */
export function compileStages(stages: readonly WorkerStage[], salt = 0): RecordFunction {
  return chained(stages, salt, (stage) => {
    const kernel = KERNELS[stage.op as keyof typeof KERNELS] as Kernel<unknown> | undefined
    return kernel?.(paramsOf(stage))
  })
}

/** Compiles the batch stages of a chain, likewise; the drawing's key is that of the batch. */
export function compileBatchStages(stages: readonly WorkerStage[], salt = 0): BatchFunction {
  return chained(stages, salt, (stage) => {
    const kernel = BATCH_KERNELS[stage.op as keyof typeof BATCH_KERNELS] as BatchKernel<unknown> | undefined
    return kernel?.(paramsOf(stage))
  })
}

/** What a record stands for after record and select stages: none, one or several records, in order. */
export type Expand = (record: RecordFields) => Promise<readonly RecordFields[]>

const NO_DRAWING: Drawing = { key: 0 }

/** Compiles a chain of record and select stages; random ops have no place in it, since shards are indexed once. */
export function compileExpand(stages: readonly WorkerStage[]): Expand {
  const steps = stages.map((stage): ((record: RecordFields) => Value<readonly RecordFields[]>) => {
    const kernel = SELECT_KERNELS[stage.op as keyof typeof SELECT_KERNELS] as SelectKernel<unknown> | undefined
    if (kernel) return placed(stage, kernel(paramsOf(stage) as never))
    const run = compileStages([stage])
    return async (record) => [await run(record, NO_DRAWING)]
  })
  return async (record) => {
    let records: readonly RecordFields[] = [record]
    for (const step of steps) records = (await Promise.all(records.map(step))).flat()
    return records
  }
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
    if (!(OPS[stage.op] as OpDeclaration).random) return run
    // Counted among random ops alone: moving a cast to the consumer changes no draw.
    const draw = draws++
    return (fields, { key }) => run(fields, { key: keyOf(key, salt, draw) })
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
