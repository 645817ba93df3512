import type { StokerError } from '@stoker/spec'
import type { RecordPlace } from '../byte-format/scanner.js'
import { InflateCorrupt, InflateLimit, InflateTruncated } from '../error-table.js'
import type { FormatLimits } from '../types.js'
import { createZlibInflater, type Inflater, StreamBroken, StreamCut } from './inflater.js'
import { type Compression, compressionMismatch, compressionOf, type Packing } from './sniff.js'

/** Input goes to the engine in pieces of this size, however it comes in: what is out at a fault is then always the same. */
const PIECE_BYTES = 32 * 1024
/** The ratio limit looks away below this: a small shard of zeros is no attack. */
const RATIO_FROM_BYTES = 64 * 2 ** 20

export interface InflateOptions {
  readonly shard: string
  readonly packing: Packing
  readonly limits: FormatLimits
  /** Sees each inflated byte as it passes, so that one pass gives both the copy and its index. */
  readonly scanner: { push(bytes: Uint8Array, at: number): void; placeAt(bytes: number): RecordPlace }
  /** True when the bytes are certainly those of an uncompressed object, for the error when they do not inflate. */
  readonly isPlain: (head: Uint8Array) => boolean
}

/**
 * Inflates a stream: GZIP of any number of members (zero padding after the last), ZLIB, or ZSTD of any number of frames.
 * Memory: what one piece of 32 KiB inflates to.
 *
 * @throws StokerError STK_INFLATE_CORRUPT, _TRUNCATED (after all bytes that came out before), _LIMIT;
 *   STK_COMPRESSION_SETTING when the bytes are not compressed in this way at all.
 */
export async function* inflate(source: AsyncIterable<Uint8Array>, options: InflateOptions): AsyncGenerator<Uint8Array> {
  const { shard, packing, limits, scanner } = options
  const inflater = await createInflater(packing)
  const head = new Uint8Array(16)
  let received = 0
  let produced = 0
  let scanned = 0
  const out: Uint8Array[] = []
  let overLimit: StokerError | undefined
  const keep = (bytes: Uint8Array): void => {
    if (overLimit || bytes.length === 0) return
    produced += bytes.length
    overLimit = limitPassed(shard, received, produced, limits)
    out.push(bytes)
  }
  function* taken(): Generator<Uint8Array> {
    if (overLimit) throw overLimit
    for (const bytes of out.splice(0)) {
      scanner.push(bytes, scanned)
      scanned += bytes.length
      yield bytes
    }
  }
  try {
    for await (const piece of inPieces(source)) {
      if (received < head.length) head.set(piece.subarray(0, head.length - received), received)
      received += piece.length
      await inflater.push(piece, keep)
      yield* taken()
    }
    await inflater.end()
    yield* taken()
  } catch (error) {
    if (!(error instanceof StreamCut || error instanceof StreamBroken)) throw error
    yield* taken()
    throw explained(error, options, produced, head.subarray(0, Math.min(received, head.length)))
  } finally {
    await inflater.close()
  }
}

async function createInflater(packing: Packing): Promise<Inflater> {
  if (packing !== 'ZSTD') return createZlibInflater(packing)
  const { createZstdInflater } = await import('./zstd.js')
  return createZstdInflater()
}

function limitPassed(shard: string, received: number, produced: number, limits: FormatLimits): StokerError | undefined {
  const byRatio = produced > RATIO_FROM_BYTES && produced > received * limits.maxInflateRatio
  if (!byRatio && produced <= limits.maxInflatedBytes) return undefined
  const limit = byRatio ? `over ${limits.maxInflateRatio} bytes from each` : 'the limit for one shard'
  return InflateLimit(shard, received, byRatio ? produced : limits.maxInflatedBytes, limit).with({ place: { shard } })
}

function explained(
  error: StreamCut | StreamBroken,
  options: InflateOptions,
  produced: number,
  head: Uint8Array,
): StokerError {
  const { shard, packing, scanner, isPlain } = options
  const place = scanner.placeAt(produced)
  if (produced === 0) {
    const found: Compression | undefined = isPlain(head) ? 'NONE' : compressionOf(head)
    if (found && found !== packing) return compressionMismatch(shard, packing, found)
  }
  if (error instanceof StreamCut) return InflateTruncated(shard, place.record, place.offset, packing).with({ place })
  return InflateCorrupt(shard, place.record, place.offset, packing, error.message).with({ place, cause: error })
}

/** The bytes of a stream in pieces of one size; the last may be shorter. */
async function* inPieces(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let piece = new Uint8Array(PIECE_BYTES)
  let have = 0
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      const take = Math.min(PIECE_BYTES - have, chunk.length - at)
      piece.set(chunk.subarray(at, at + take), have)
      have += take
      at += take
      if (have < PIECE_BYTES) continue
      yield piece
      piece = new Uint8Array(PIECE_BYTES)
      have = 0
    }
  }
  if (have > 0) yield piece.subarray(0, have)
}
