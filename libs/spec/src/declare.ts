import type { Static, TSchema } from 'typebox'
import type { FieldSpec, Signature } from './signature.js'

/**
 * `record` ops map one record to one record and run in the worker. `select` ops map one record to none or several
 * (filter, unbatch): they are evaluated when a shard is indexed, so that counts are known. `batch` ops map a whole batch
 * to a batch (mixup). `order` ops (shuffle, batch, ...) shape the plan and touch no record.
 */
export type OpKind = 'record' | 'select' | 'batch' | 'order'

/**
 * One op of the pipeline, declared without its kernel: this package stays free of native code, so that a client can
 * build and check a spec anywhere. The kernel of an op that is not an `order` op lives under the same name in `libs/ops`.
 */
export interface OpDeclaration<
  Name extends string = string,
  Params extends TSchema = TSchema,
  Args extends readonly unknown[] = never,
  Kind extends OpKind = OpKind,
> {
  readonly name: Name
  readonly kind: Kind
  /** One sentence for the OpenAPI page; names the tf.data call it mirrors. */
  readonly summary: string
  readonly params: Params
  /** Turns the builder's positional arguments into parameters. */
  readonly args: (...args: Args) => Static<Params>
  /**
   * Signature after the op; of a `batch` op the shapes are those of one record, without the batch dimension.
   * @throws StokerError when the op cannot take these fields; the caller adds the path.
   */
  readonly infer: (signature: Signature, params: Static<Params>) => Signature
  /** True when the op draws random numbers: its kernel gets a generator keyed by (seed, epoch, record). */
  readonly random?: boolean
  /** True when the op only moves elements of its field, of whatever type: pixels may be rounded before it as well. */
  readonly keepsValues?: boolean
  /**
   * Fields that the op reads or writes; 'all' where it may touch any. By default the one in the parameter `field`, and
   * 'all' without such a parameter. The wire plan moves casts and scales only past ops that do not touch their field.
   */
  readonly touches?: (params: Static<Params>) => readonly string[] | 'all'
}

export function declareOp<
  const Name extends string,
  const Kind extends OpKind,
  Params extends TSchema,
  Args extends readonly unknown[],
>(declaration: OpDeclaration<Name, Params, Args, Kind>): OpDeclaration<Name, Params, Args, Kind> {
  return declaration
}

/** One kind of source: where records come from and what a raw record looks like. */
export interface SourceDeclaration<Name extends string = string, Params extends TSchema = TSchema> {
  readonly name: Name
  readonly summary: string
  readonly params: Params
  /** True when the source reads objects that must be listed, pinned and indexed. */
  readonly readsShards: boolean
  readonly infer: (params: Static<Params>) => Signature
}

export function declareSource<const Name extends string, Params extends TSchema>(
  declaration: SourceDeclaration<Name, Params>,
): SourceDeclaration<Name, Params> {
  return declaration
}

/** The signature with one field replaced. */
export function withField(signature: Signature, field: string, spec: FieldSpec): Signature {
  return { ...signature, [field]: spec }
}
