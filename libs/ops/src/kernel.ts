import type { RecordFields, Tensor } from '@stoker/formats'
import type { OPS, OpName, StageOf } from '@stoker/spec'

type NamesOfKind<Kind> = { [Name in OpName]: (typeof OPS)[Name]['kind'] extends Kind ? Name : never }[OpName]

export type RecordOpName = NamesOfKind<'record'>
export type SelectOpName = NamesOfKind<'select'>
export type BatchOpName = NamesOfKind<'batch'>
/** Ops that run in a worker; the others shape the plan and touch no record. */
export type KernelName = RecordOpName | SelectOpName | BatchOpName

/** Where the record at hand comes from, by the numbers of its plan; of a batch op, the number of the batch. */
export interface RecordAt {
  readonly shard?: number
  readonly record?: number
  readonly batch?: number
}

/** What a kernel may know of the record at hand besides its fields. */
export interface Drawing {
  /** For whoever watches that an op returns; asked only then. */
  readonly at?: () => RecordAt
  /** 32-bit key of (seed, epoch, record); of a batch op: of (seed, epoch, batch). Draw with `keyOf(key, n)`. */
  readonly key: number
}

/** A record in, a record out; a promise only where no synchronous way exists. */
export type RecordFunction = (record: RecordFields, drawing: Drawing) => RecordFields | Promise<RecordFields>

/** A record in, the records that it stands for out: none, one or several. */
export type SelectFunction = (
  record: RecordFields,
  drawing: Drawing,
) => readonly RecordFields[] | Promise<readonly RecordFields[]>

/** Fields of a batch: each tensor is [records, ...]. */
export type BatchFields = Readonly<Record<string, Tensor>>
export type BatchFunction = (batch: BatchFields, drawing: Drawing) => BatchFields | Promise<BatchFields>

/** What an op does, compiled once for its parameters. It never writes to the tensors it is given. */
export type Kernel<Params> = (params: Params) => RecordFunction
export type SelectKernel<Params> = (params: Params) => SelectFunction
export type BatchKernel<Params> = (params: Params) => BatchFunction

type Params<Name extends OpName> = Omit<StageOf<Name>, 'op'>
export type KernelOf<Name extends RecordOpName> = Kernel<Params<Name>>
export type SelectKernelOf<Name extends SelectOpName> = SelectKernel<Params<Name>>
export type BatchKernelOf<Name extends BatchOpName> = BatchKernel<Params<Name>>
