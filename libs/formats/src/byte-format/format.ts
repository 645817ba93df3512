import type { CompressionSetting } from '../compression/sniff.js'
import type { FormatContext, FormatLimits, RecordFields, ShardPin } from '../types.js'
import type { Located, RecordPlace, RecordScanner } from './scanner.js'

/** A source of files, compressed or not, whose records lie in their bytes. */
export interface ByteSource {
  readonly files: string | readonly string[]
  readonly compression?: CompressionSetting
}

export interface ScanOptions {
  readonly shard: string
  /** What the bytes were taken for, for the error when they are something else. */
  readonly compression: CompressionSetting
  /** Where it is known. */
  readonly totalBytes?: number
}

/** What tells one kind of byte format from another; `createByteFormat` makes a reader of it. */
export interface ByteFormat<S extends ByteSource> {
  /** Part of the name of stored indexes: change it when equal bytes and parameters give another index. */
  readonly name: string
  /** Parameters, besides the compression, that the index depends on. */
  readonly indexParams?: (source: S) => readonly string[]
  /** True when an object that starts with `head` is certainly an uncompressed one of this format. */
  readonly isPlain: (head: Uint8Array) => boolean
  readonly scanner: (source: S, options: ScanOptions) => RecordScanner
  /** Where records lie, from an index beside an uncompressed shard; undefined when there is none. */
  readonly sidecar?: (pin: ShardPin, context: FormatContext, limits: FormatLimits) => Promise<Located | undefined>
  /** Bytes that frame a record besides those counted in its length: a record is read from its offset, this much longer. */
  readonly frameBytes: number
  /**
   * Compiled once for a shard: gives the fields of a record from its bytes, frame included.
   * @throws StokerError; the reader adds shard, record and offset.
   */
  readonly decoder: (source: S, shard: { readonly uri: string; readonly meta: string | undefined }) => RecordDecoder
}

export type RecordDecoder = (bytes: Uint8Array, place: RecordPlace) => RecordFields
