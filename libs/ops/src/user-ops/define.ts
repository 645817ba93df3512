import type { RecordFields } from '@stoker/formats'
import type { Signature, UserOpName } from '@stoker/spec'
import type { Static, TObject, TSchema } from 'typebox'
import type { BatchFields } from '../kernel.js'
import type { Draws } from '../random/draws.js'

/** Schemas of the parameters by name: TypeBox types, or plain JSON schemas. One with a default may be left out. */
export type OpParams = Readonly<Record<string, TSchema>>
type ParamsOf<Params extends OpParams> = Readonly<Static<TObject<{ -readonly [Name in keyof Params]: Params[Name] }>>>
type Answer<Value> = Value | Promise<Value>

interface Common<Params extends OpParams> {
  /** With a prefix of your own: `acme.blur`. */
  readonly name: UserOpName
  /** One sentence for the OpenAPI page. */
  readonly summary?: string
  readonly params?: Params
  /** Says what the op computes; without it the SHA-256 of the module's source. Change it when results change. */
  readonly version?: string
  /** True for an op that draws: it gets numbers keyed by (seed, epoch, record), or (seed, epoch, batch). */
  readonly random?: boolean
  /** Fields that the op reads or writes; by default the one in the parameter `field`, or all. */
  readonly touches?: (params: ParamsOf<Params>) => readonly string[] | 'all'
  /**
   * Fields after the op; unchanged by default. What `run` returns is held against it. Of a batch op without the batch
   * dimension.
   */
  readonly infer?: (signature: Signature, params: ParamsOf<Params>) => Signature
}

interface RecordOp<Params extends OpParams> extends Common<Params> {
  readonly kind?: 'record'
  /** One record in, one out. Never write to the tensors you are given: they may be shared. */
  readonly run: (record: RecordFields, params: ParamsOf<Params>, draws: Draws) => Answer<RecordFields>
}

interface SelectOp<Params extends OpParams> extends Common<Params> {
  readonly kind: 'select'
  /** True keeps the record; a list stands in its place. Run when a shard is indexed, so it draws no random numbers. */
  readonly run: (record: RecordFields, params: ParamsOf<Params>) => Answer<boolean | readonly RecordFields[]>
}

interface BatchOp<Params extends OpParams> extends Common<Params> {
  readonly kind: 'batch'
  /** Tensors are [records, ...]; the number of records stays. */
  readonly run: (batch: BatchFields, params: ParamsOf<Params>, draws: Draws) => Answer<BatchFields>
}

export type OpDefinition<Params extends OpParams = OpParams> = RecordOp<Params> | SelectOp<Params> | BatchOp<Params>

/** Tells what `defineOp` made from other exports of a module, whichever copy of this package made it. */
export const DEFINED = Symbol.for('stoker.op')

/** A definition of any parameters: they are checked against `params` before anything of it is called. */
export type DefinedOp = OpDefinition<Record<string, TSchema>> & { readonly [DEFINED]: true }

/**
 * Defines an op of your own. Export it from an ES module that `STOKER_OPS` names, for the api and the workers.
 *
 * @example
 * export const invert = defineOp({
 *   name: 'acme.invert',
 *   params: { field: Type.String(), most: Type.Number({ default: 255 }) },
 *   run: (record, { field, most }) => {
 *     const image = record[field]
 *     return { ...record, [field]: { ...image, data: image.data.map((value) => most - value) } }
 *   },
 * })
 */
export function defineOp<Params extends OpParams = Record<never, TSchema>>(
  definition: OpDefinition<Params>,
): DefinedOp {
  // Its parameters are checked against `params` before they reach it, so their type can be forgotten here.
  return { ...(definition as unknown as OpDefinition<Record<string, TSchema>>), [DEFINED]: true }
}

export const isDefinedOp = (value: unknown): value is DefinedOp =>
  typeof value === 'object' && value !== null && DEFINED in value
