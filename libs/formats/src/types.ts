import type { DType, ErrorView, Source } from '@stoker/spec'
import type { ObjectStore } from '@stoker/storage'
import type { PageCache } from './page-cache.js'

/** Elements of a tensor, row-major. `bool` is a Uint8Array of 0 and 1, `int64` a BigInt64Array: exact. */
export type TypedArray =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Int32Array
  | BigInt64Array
  | Float32Array
  | Float64Array

export interface Tensor {
  readonly dtype: DType
  readonly shape: readonly number[]
  readonly data: TypedArray
}

/** One byte string. A view: it may share memory with its record and with cached pages, so it must not be written to. */
export interface Bytes {
  readonly dtype: 'string'
  readonly shape: readonly []
  readonly data: Uint8Array
}

/** Several byte strings, row-major. */
export interface StringTensor {
  readonly dtype: 'string'
  readonly shape: readonly number[]
  readonly data: readonly Uint8Array[]
}

export type RecordFields = Readonly<Record<string, Tensor | Bytes | StringTensor>>

/** A shard as it was when the job was submitted. */
export interface ShardPin {
  readonly uri: string
  readonly size: number
  readonly etag: string
}

/** Where the records of one shard lie. Offsets address `dataUri`: the shard, or its inflated copy in scratch. */
export interface ShardIndex {
  /** Records, the one counted in that `fault` stands for. */
  readonly count: number
  readonly dataUri: string
  readonly dataEtag: string
  readonly dataBytes: number
  /** Byte offset of each record's frame. */
  readonly offsets: Float64Array
  /** Payload bytes of each record. */
  readonly lengths: Uint32Array
  /** What the reader needs to know of the shard besides, as text: the header of a table. */
  readonly meta?: string
  /** Bytes that the index keeps in memory besides offsets and lengths. */
  readonly heldBytes?: number
  /** The object that a record lies in, where it is not the shard: errors name it. */
  readonly nameOf?: (record: number) => string
  /** Why no record can be found after these; reading the last record, which it stands for, gives this error. */
  readonly fault?: ErrorView
}

export interface FormatLimits {
  /** Most payload bytes of one record. */
  readonly maxRecordBytes: number
  /** Most bytes that one compressed shard may inflate to. */
  readonly maxInflatedBytes: number
  /** Most inflated bytes for each compressed byte, looked at once a shard has inflated to 64 MiB. */
  readonly maxInflateRatio: number
}

export const DEFAULT_LIMITS: FormatLimits = {
  maxRecordBytes: 256 * 2 ** 20,
  maxInflatedBytes: 64 * 2 ** 30,
  // DEFLATE cannot pass 1032; sound shards of images or examples stay below 50.
  maxInflateRatio: 250,
}

export interface FormatContext {
  readonly store: ObjectStore
  /** URI prefix where indexes and inflated copies are kept across jobs. */
  readonly scratch: string
  readonly signal?: AbortSignal
  readonly limits?: Partial<FormatLimits>
}

/** How one kind of source is read. */
export interface Format<S extends Source = Source> {
  /**
   * The shards of a source as they are now, in order. Sources without shards have one pin. What the order or the
   * content of all later reads depends on must show in the pins (their ETags), since these are what the plan keeps.
   * @throws StokerError when a pattern matches nothing or an object cannot be seen.
   */
  pin(source: S, context: FormatContext): Promise<ShardPin[]>
  /** Records of the source where that is known without reading anything. */
  countNow?(source: S): number
  /** Builds, or loads from scratch where an earlier run left it, the index of one shard. */
  index(pin: ShardPin, source: S, context: FormatContext): Promise<ShardIndex>
  /**
   * The asked records, in the order asked. Ranges are coalesced and fetched concurrently, their bytes cached in `pages`.
   * @throws StokerError with shard, record and offset when a record is damaged.
   */
  read(
    pin: ShardPin,
    index: ShardIndex,
    source: S,
    records: readonly number[],
    context: FormatContext & { readonly pages: PageCache },
  ): Promise<RecordFields[]>
}
