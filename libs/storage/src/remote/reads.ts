import { allocate } from '../collect.js'
import { TruncatedBody } from '../error-table.js'
import type { ByteRange, CallOptions, ObjectStat, ReadOptions } from '../object-store.js'
import { type OnRetry, RETRIES, retryTruncated, waitBeforeRetry } from '../retry.js'
import { changed, type Getter, outside } from './got.js'

/** What a store does over a network, from which the reads that callers see are made. */
export interface Remote {
  readonly get: Getter
  readonly head: (uri: string, options: CallOptions) => Promise<ObjectStat>
  readonly onRetry?: OnRetry | undefined
}

/** Exactly the bytes of a range; asked for again where a body was cut short. */
export async function readRange(
  remote: Remote,
  uri: string,
  range: ByteRange,
  options: ReadOptions,
): Promise<Uint8Array> {
  const { offset, length } = range
  if (!(Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length > 0)) {
    return readNothing(remote, uri, range, options)
  }
  const readOnce = async () => {
    const { chunks } = await remote.get(uri, { ...options, range })
    const bytes = allocate(length)
    let at = 0
    for await (const chunk of chunks) {
      bytes.set(chunk, at)
      at += chunk.length
    }
    return bytes
  }
  return retryTruncated(readOnce, options.signal, remote.onRetry)
}

/** A connection that breaks off is taken up where it broke, pinned to the version that the stream began with. */
export async function* streamWhole(remote: Remote, uri: string, options: ReadOptions): AsyncGenerator<Uint8Array> {
  let { etag } = options
  let size = Number.POSITIVE_INFINITY
  let failures = 0
  for (let at = 0; at < size; ) {
    const range = at > 0 ? { range: { offset: at, length: size - at } } : {}
    const pin = etag === undefined ? {} : { etag }
    const { stat, chunks } = await remote.get(uri, { ...options, ...pin, ...range })
    ;({ etag, size } = stat)
    try {
      for await (const chunk of chunks) {
        at += chunk.length
        failures = 0
        yield chunk
      }
    } catch (error) {
      if (!TruncatedBody.is(error) || ++failures > RETRIES.TRUNCATED.retries) throw error
      await waitBeforeRetry('TRUNCATED', failures, options.signal, remote.onRetry)
    }
  }
}

/** No bytes cannot be asked for by a range, but the object must be there, unchanged, and long enough. */
async function readNothing(remote: Remote, uri: string, range: ByteRange, options: ReadOptions): Promise<Uint8Array> {
  const { etag, signal } = options
  const stat = await remote.head(uri, signal ? { signal } : {})
  if (etag !== undefined && etag !== stat.etag) throw changed(uri, etag, stat.etag)
  if (range.length === 0 && range.offset >= 0 && range.offset <= stat.size) return new Uint8Array(0)
  throw outside(uri, range, stat.size)
}
