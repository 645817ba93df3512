import { addAbortSignal, type Readable } from 'node:stream'
import { RangeOutside, ShardChanged, StorageFailed, TruncatedBody } from '../error-table.js'
import type { ByteRange, ObjectStat, ReadOptions } from '../object-store.js'

/** An answer of a server to a request for an object or a range of it. */
export interface Got {
  /** Version and size of the whole object. */
  readonly stat: ObjectStat
  /** The body, which must be read to its end or left (break, throw): either way the connection is free afterwards. */
  readonly chunks: AsyncIterable<Uint8Array>
}

export interface GetOptions extends ReadOptions {
  readonly range?: ByteRange
}

/**
 * Asks a server for bytes. Whatever it answers, the caller gets the bytes asked for, of the version asked for, or an
 * error: ShardChanged, RangeOutside, or TruncatedBody where the body ends early.
 */
export type Getter = (uri: string, options: GetOptions) => Promise<Got>

/** A body of exactly `length` bytes, or TruncatedBody; the connection is given up when it is left early. */
export async function* checkedBody(
  uri: string,
  body: Readable,
  length: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let bytes = 0
  const truncated = (cause?: unknown) => TruncatedBody(uri, length, bytes).with({ place: { shard: uri }, cause })
  if (signal) addAbortSignal(signal, body)
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      bytes += chunk.length
      if (bytes > length) throw truncated()
      yield chunk
    }
  } catch (error) {
    if (signal?.aborted) throw signal.reason
    throw TruncatedBody.is(error) ? error : truncated(error)
  } finally {
    body.destroy()
  }
  if (bytes < length) throw truncated()
}

/**
 * Size of the whole object by the header Content-Range of an answer to a request for `range`.
 * @throws StorageFailed when the server sends something else, as those do that unpack an object with a Content-Encoding
 *   on its way out; RangeOutside when the object is shorter
 */
export function sizeByContentRange(uri: string, contentRange: string | undefined, range: ByteRange): number {
  const [, first, total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(contentRange ?? '') ?? []
  if (Number(first) !== range.offset) {
    throw StorageFailed('read', uri, 'the server ignores the byte range').with({ place: { shard: uri } })
  }
  if (range.offset + range.length > Number(total)) throw outside(uri, range, Number(total))
  return Number(total)
}

export function changed(uri: string, pinned: string, now: string) {
  return ShardChanged(uri, pinned, now).with({ place: { shard: uri } })
}

export function outside(uri: string, { offset, length }: ByteRange, size: number) {
  return RangeOutside(uri, offset, offset + length - 1, size).with({ place: { shard: uri, offset } })
}
