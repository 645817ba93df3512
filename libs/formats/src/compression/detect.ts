import { constants, inflateSync } from 'node:zlib'
import type { FormatContext, ShardPin } from '../types.js'
import { type Compression, compressionOf } from './sniff.js'

/** Enough that plain text which happens to start like zlib does not inflate to its end. */
const HEAD_BYTES = 16 * 1024

const LEAST_CUT_BYTES = 64

/**
 * How an object is packed, by its first bytes: names and HTTP headers may lie, and a store may unpack what it sends.
 * `isPlain` says that the bytes are certainly an uncompressed object of the format, whatever else they look like.
 */
export async function detectCompression(
  pin: ShardPin,
  isPlain: (head: Uint8Array) => boolean,
  context: FormatContext,
): Promise<Compression> {
  if (pin.size === 0) return 'NONE'
  const range = { offset: 0, length: Math.min(pin.size, HEAD_BYTES) }
  const options = { etag: pin.etag, ...(context.signal ? { signal: context.signal } : {}) }
  const head = await context.store.read(pin.uri, range, options)
  return packingOf(head, head.length === pin.size, isPlain)
}

export function packingOf(head: Uint8Array, isWhole: boolean, isPlain: (head: Uint8Array) => boolean): Compression {
  const found = compressionOf(head)
  if (!found || isPlain(head)) return 'NONE'
  // The others start with bytes that are no text and no frame; two bytes of zlib are also a chance beginning of text.
  return found === 'ZLIB' && !startsZlib(head, isWhole) ? 'NONE' : found
}

/** True when the bytes inflate as far as they go. */
function startsZlib(head: Uint8Array, isWhole: boolean): boolean {
  try {
    const finishFlush = isWhole ? constants.Z_FINISH : constants.Z_SYNC_FLUSH
    inflateSync(head, { finishFlush, maxOutputLength: 64 * 2 ** 20 })
    return true
  } catch (error) {
    const { code } = error as { code?: string }
    // A stream that is cut is still one, what it lacks is told when it is inflated; some bytes of text can pass for one.
    return code === 'ERR_BUFFER_TOO_LARGE' || (code === 'Z_BUF_ERROR' && head.length >= LEAST_CUT_BYTES)
  }
}
