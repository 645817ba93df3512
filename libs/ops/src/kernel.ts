import type { RecordFields } from '@stoker/formats'
import type { OpName, StageOf } from '@stoker/spec'

/** The ops that shape the plan and touch no record; every other op needs a kernel. */
type OrderOpName = 'interleave' | 'shuffle' | 'batch' | 'repeat' | 'prefetch'

export type RecordOpName = Exclude<OpName, OrderOpName>

/** A record in, a record out; a promise only where no synchronous way exists. */
export type RecordFunction = (record: RecordFields) => RecordFields | Promise<RecordFields>

/** What an op does, compiled once for its parameters. It never writes to the tensors it is given. */
export type Kernel<Params> = (params: Params) => RecordFunction

export type KernelOf<Name extends RecordOpName> = Kernel<Omit<StageOf<Name>, 'op'>>
