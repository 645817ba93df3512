import { createGunzip, createInflate } from 'node:zlib'
import type { StokerError } from '@stoker/spec'
import { InflateCorrupt, InflateLimit, InflateTruncated } from '../error-table.js'
import type { FormatLimits } from '../types.js'
import type { FrameScanner } from './frame.js'
import { type Compression, compressionMismatch, compressionOf, startsFrame } from './sniff.js'

const CHUNK_BYTES = 256 * 1024
/** The ratio limit looks away below this: a small shard of zeros is no attack. */
const RATIO_FROM_BYTES = 64 * 2 ** 20

/**
 * Inflates a stream (GZIP of any number of members, zero padding after the last; or ZLIB) and shows each inflated byte
 * to `scanner` as it passes, so that one pass gives both the copy and its index. Memory: two chunks.
 */
export async function* inflate(
  source: AsyncIterable<Uint8Array>,
  options: { shard: string; compression: 'GZIP' | 'ZLIB'; limits: FormatLimits; scanner: FrameScanner },
): AsyncGenerator<Uint8Array> {
  const { shard, compression, limits, scanner } = options
  const engine =
    compression === 'GZIP' ? createGunzip({ chunkSize: CHUNK_BYTES }) : createInflate({ chunkSize: CHUNK_BYTES })
  const feed = feedInto(engine, source)
  // A failing source or padding check must reach the reader below, which waits on the engine alone.
  const fed = feed.done.catch((error: unknown) => void engine.destroy(error as Error))
  let produced = 0
  try {
    for await (const piece of engine as AsyncIterable<Uint8Array>) {
      scanner.push(piece, produced)
      produced += piece.length
      checkLimits(produced)
      yield piece
    }
    await feed.done
    scanner.finish(produced)
  } catch (error) {
    throw explain(error)
  } finally {
    engine.destroy()
    await fed
  }

  function checkLimits(bytes: number): void {
    const byRatio = bytes > RATIO_FROM_BYTES && bytes > feed.received() * limits.maxInflateRatio
    if (!byRatio && bytes <= limits.maxInflatedBytes) return
    const limit = byRatio ? `over ${limits.maxInflateRatio} bytes from each` : 'the limit for one shard'
    throw InflateLimit(shard, feed.received(), byRatio ? bytes : limits.maxInflatedBytes, limit).with({
      place: { shard },
    })
  }

  function explain(error: unknown): unknown {
    const code = (error as { code?: string }).code
    const place = scanner.placeAt(produced)
    if (code === 'Z_BUF_ERROR') return InflateTruncated(shard, place.record, place.offset, compression).with({ place })
    if (code === 'Z_DATA_ERROR' || error instanceof Padding) {
      const mismatch = produced === 0 ? otherCompression(shard, compression, feed.head()) : undefined
      if (mismatch) return mismatch
      const reason = (error as Error).message
      return InflateCorrupt(shard, place.record, place.offset, compression, reason).with({ place, cause: error })
    }
    return error
  }
}

class Padding extends Error {}

function otherCompression(shard: string, set: 'GZIP' | 'ZLIB', head: Uint8Array): StokerError | undefined {
  const found: Compression | undefined = startsFrame(head) ? 'NONE' : compressionOf(head)
  return found && found !== set ? compressionMismatch(shard, set, found) : undefined
}

/**
 * Writes a stream into a zlib engine chunk by chunk. After the last member the engine takes no more input; what follows
 * must be zeros (gzip and tar pad with them), because anything else may be a damaged further member.
 */
function feedInto(engine: ReturnType<typeof createGunzip>, source: AsyncIterable<Uint8Array>) {
  const head = new Uint8Array(16)
  let received = 0
  let isOver = false
  const closed = new Promise<void>((resolve) => engine.once('close', resolve))

  async function run(): Promise<void> {
    for await (const chunk of source) {
      if (received < head.length) head.set(chunk.subarray(0, head.length - received), received)
      received += chunk.length
      if (!isOver) {
        const written = new Promise<void>((resolve) => engine.write(chunk, () => resolve()))
        await Promise.race([written, closed])
        // Failed, or its reader went away: the source is closed by leaving the loop.
        if (engine.destroyed && !engine.readableEnded) return
      }
      const unread = Math.min(chunk.length, received - engine.bytesWritten)
      isOver = unread > 0
      if (chunk.subarray(chunk.length - unread).some((byte) => byte !== 0)) {
        throw new Padding('there are further bytes after its end')
      }
    }
    if (!isOver) engine.end()
  }

  return {
    done: run(),
    received: () => received,
    head: () => head.subarray(0, Math.min(received, head.length)),
  }
}
