/** One object as it was when it was looked at. */
export interface ObjectStat {
  /** Canonical: `s3://bucket/key` or `file:///absolute/path`, the name as it is stored (no percent-encoding). */
  readonly uri: string
  /** Bytes. */
  readonly size: number
  /** Opaque. Another value means that the object was written again. */
  readonly etag: string
}

export interface CallOptions {
  readonly signal?: AbortSignal
}

export interface ReadOptions extends CallOptions {
  /** The ETag that the object was pinned with; another one at the store is the error ShardChanged. */
  readonly etag?: string
}

export interface WriteOptions extends CallOptions {
  /**
   * Fails with AlreadyExists when there is an object of that name.
   * @NOTE On s3: a retry after a lost answer may meet the caller's own object: compare contents where that matters.
   */
  readonly ifAbsent?: boolean
  readonly contentType?: string
}

export interface ByteRange {
  readonly offset: number
  readonly length: number
}

export interface ObjectStore {
  /**
   * The objects that a URI or a glob pattern names, sorted by the UTF-8 bytes of their URIs. Pattern as in
   * tf.io.gfile.glob: `*`, `?` and `[...]` stay within a path segment; also `**` (any number of segments) and `{a,b}`.
   * An object whose name is the pattern itself wins. Directory markers (zero bytes, name ending in `/`) are left out.
   *
   * @throws NoMatch, OutsideRoots, AccessDenied, BucketMissing
   */
  list(pattern: string, options?: CallOptions): Promise<ObjectStat[]>
  /** @throws ObjectMissing, OutsideRoots, AccessDenied */
  stat(uri: string, options?: CallOptions): Promise<ObjectStat>
  /**
   * Exactly `length` bytes from `offset`.
   *
   * @throws ShardChanged when `etag` is given and the object has another one; RangeOutside; TruncatedBody after retries
   */
  read(uri: string, range: ByteRange, options?: ReadOptions): Promise<Uint8Array>
  readAll(uri: string, options?: ReadOptions): Promise<Uint8Array>
  /** The whole object in pieces. Always of one version: a change on the way is ShardChanged. */
  stream(uri: string, options?: ReadOptions): AsyncIterable<Uint8Array>
  /** Atomic: a reader sees the old object or the whole new one, also when the writer dies half-way. */
  write(uri: string, body: Body, options?: WriteOptions): Promise<ObjectStat>
  /** Removing what is not there is fine. */
  remove(uri: string): Promise<void>
  /** Every object below the folder `prefix`, at any depth, sorted as `list`; none is fine. */
  walk(prefix: string, options?: CallOptions): Promise<ObjectStat[]>
  /** The URI as listings write it: absolute and tidy. Nothing is looked up. @throws BadUri */
  canonical(uri: string): Promise<string>
  /** Closes connections. Safe to call twice. */
  close(): Promise<void>
}

export type Body = Uint8Array | AsyncIterable<Uint8Array>

/** Order of listings: by the UTF-8 bytes of the URI, as S3 sorts keys. */
export function sortedByUri(stats: readonly ObjectStat[]): ObjectStat[] {
  return [...stats].sort((a, b) => compareUtf8(a.uri, b.uri))
}

/** Compares texts by their UTF-8 bytes. (`<` compares UTF-16 units, which puts pairs of surrogates before U+E000.) */
export function compareUtf8(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const unitA = a.charCodeAt(at)
    const unitB = b.charCodeAt(at)
    if (unitA !== unitB) return rank(unitA) - rank(unitB)
  }
  return a.length - b.length
}

const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit)
