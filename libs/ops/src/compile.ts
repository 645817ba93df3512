import type { RecordFields } from '@stoker/formats'
import { toStokerError, type WorkerStage } from '@stoker/spec'
import type { Kernel, RecordFunction, RecordOpName } from './kernel.js'
import { KERNELS } from './kernels/index.js'

/**
 * Compiles the record stages of a chain, in order, into one function over a record. It answers without a promise as long
 * as every kernel does. Errors carry op and field; the caller adds shard, record and offset.
 */
export function compileStages(stages: readonly WorkerStage[]): RecordFunction {
  const steps = stages.map(compileStage)
  return (record) => run(steps, 0, record)
}

function run(
  steps: readonly RecordFunction[],
  from: number,
  record: RecordFields,
): RecordFields | Promise<RecordFields> {
  let current = record
  for (let at = from; at < steps.length; at++) {
    const next = steps[at]?.(current) ?? current
    if (next instanceof Promise) return next.then((value) => run(steps, at + 1, value))
    current = next
  }
  return current
}

function compileStage(stage: WorkerStage): RecordFunction {
  const { op, ...params } = stage
  if (!isRecordOp(op)) throw new TypeError(`${op} is an order op: it has no kernel`)
  // A stage is checked against the schema of its op before it comes here.
  const step = (KERNELS[op] as Kernel<unknown>)(params)
  const place = 'field' in stage ? { op, field: stage.field } : { op }
  const fail = (error: unknown): never => {
    throw toStokerError(error).with({ place })
  }
  return (record) => {
    try {
      const result = step(record)
      return result instanceof Promise ? result.catch(fail) : result
    } catch (error) {
      return fail(error)
    }
  }
}

const isRecordOp = (op: string): op is RecordOpName => op in KERNELS
