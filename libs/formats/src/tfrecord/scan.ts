import type { ObjectStat } from '@stoker/storage'
import type { FormatContext, FormatLimits } from '../types.js'
import { FrameScanner } from './frame.js'

const KIB = 1024
const FIRST_WINDOW = 256 * KIB
const LARGEST_WINDOW = 4096 * KIB
/** Payloads above this are jumped over: a new request costs less than their bytes. */
const SKIP_ABOVE = 1024 * KIB
const HEADER_WINDOW = 4 * KIB

/**
 * Payload lengths of an uncompressed shard (or of the inflated copy of one), read from its frame headers in large ranges.
 * `shard` is the name for errors.
 */
export async function scanShard(
  shard: string,
  data: ObjectStat,
  context: FormatContext,
  limits: FormatLimits,
): Promise<Uint32Array> {
  const scanner = new FrameScanner({
    shard,
    compression: 'NONE',
    maxRecordBytes: limits.maxRecordBytes,
    totalBytes: data.size,
  })
  const options = { etag: data.etag, ...(context.signal ? { signal: context.signal } : {}) }
  let window = FIRST_WINDOW
  while (scanner.wanted < data.size) {
    const offset = scanner.wanted
    const length = Math.min(window, data.size - offset)
    scanner.push(await context.store.read(data.uri, { offset, length }, options), offset)
    const isSparse = scanner.lastLength > SKIP_ABOVE
    window = isSparse ? HEADER_WINDOW : Math.min(LARGEST_WINDOW, Math.max(window, FIRST_WINDOW) * 2)
  }
  return scanner.finish(data.size)
}
