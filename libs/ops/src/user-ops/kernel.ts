import type { RecordFields } from '@stoker/formats'
import { type AnyOp, type Signature, StokerError } from '@stoker/spec'
import { UserOpFailed, UserOpInvalid, UserOpTimeout } from '../error-table.js'
import type { BatchFields, Drawing } from '../kernel.js'
import type { CompiledKernel } from '../kernel-of.js'
import { type Draws, drawsOf } from '../random/draws.js'
import { checkFields, signatureOf } from './check-result.js'
import { ownParams } from './declare.js'
import type { DefinedOp } from './define.js'
import type { OpWatch } from './watch.js'

/** What a process allows ops of a user's own. */
export interface OpLimits {
  /** Most time of one call. A call that blocks the thread is not ended by it, but by whoever reads the watch. */
  readonly timeoutMs: number
  readonly watch: () => OpWatch | undefined
}

type Params = Readonly<Record<string, unknown>>

/** The kernel of a user's op: runs it within the limits and checks what it returns. */
export function kernelFor(op: DefinedOp, declaration: AnyOp, version: string, limits: OpLimits): CompiledKernel {
  const { name, kind = 'record' } = op
  const call = (args: readonly unknown[], drawing: Drawing) => guarded(op, args, drawing, limits)
  const promisedBy = (params: object) => remembered((signature) => declaration.infer(signature, params as never))
  if (kind === 'select') {
    const compile = (params: object) => {
      const own = ownParams(name, version, params as Params)
      const promised = promisedBy(params)
      return async (record: RecordFields, drawing: Drawing): Promise<readonly RecordFields[]> => {
        const answer = await call([record, own], drawing)
        if (typeof answer === 'boolean') return answer ? [record] : []
        const wanted = promised(signatureOf(record))
        return (Array.isArray(answer) ? answer : [answer]).map((one: unknown) => checkFields(name, one, wanted))
      }
    }
    return { kind, compile }
  }
  const compile = (params: object) => {
    const own = ownParams(name, version, params as Params)
    const promised = promisedBy(params)
    return (fields: RecordFields, drawing: Drawing) => {
      const records = kind === 'batch' ? (Object.values(fields)[0]?.shape[0] ?? 0) : undefined
      const check = (answer: unknown) =>
        checkFields(name, answer, promised(signatureOf(fields, kind === 'batch' ? 1 : 0)), records)
      const answer = call([fields, own, op.random ? drawsOf(drawing.key) : noDraws(name)], drawing)
      return answer instanceof Promise ? answer.then(check) : check(answer)
    }
  }
  // A batch holds no text, and its fields are checked to be what its declaration says.
  return kind === 'batch'
    ? { kind, compile: compile as (params: object) => (batch: BatchFields, drawing: Drawing) => BatchFields }
    : { kind, compile }
}

/** For an op that draws without having said so: its draws would repeat from op to op. */
function noDraws(op: string): Draws {
  const refuse = (): never => {
    throw UserOpInvalid(op, 'it draws random numbers but is not declared with random: true')
  }
  return { uniform: refuse, between: refuse, below: refuse, normal: refuse, beta: refuse }
}

/** What `infer` says of one signature is asked once: the next record most often has the same. */
function remembered(infer: (signature: Signature) => Signature): (signature: Signature) => Signature {
  let last: { readonly key: string; readonly promised: Signature } | undefined
  return (signature) => {
    const key = JSON.stringify(signature)
    if (last?.key !== key) last = { key, promised: infer(signature) }
    return last.promised
  }
}

/** Calls `run`; whatever it throws comes out with a code, and a promise that does not settle is given up. */
function guarded(op: DefinedOp, args: readonly unknown[], { at }: Drawing, { timeoutMs, watch }: OpLimits): unknown {
  const run = op.run as (...values: readonly unknown[]) => unknown
  const leave = watch()?.enter(op.name, at?.())
  try {
    const answer = run(...args)
    if (isPromiseLike(answer)) return withinTime(op.name, answer, timeoutMs).finally(leave)
    leave?.()
    return answer
  } catch (error) {
    leave?.()
    throw failure(op.name, error)
  }
}

const isPromiseLike = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'

async function withinTime(op: string, answer: PromiseLike<unknown>, timeoutMs: number): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(UserOpTimeout(op, timeoutMs)), timeoutMs)
  })
  try {
    return await Promise.race([answer, late])
  } catch (error) {
    throw failure(op, error)
  } finally {
    clearTimeout(timer)
  }
}

function failure(op: string, error: unknown): StokerError {
  if (error instanceof StokerError) return error
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return UserOpFailed(op, text).with({ cause: error })
}
