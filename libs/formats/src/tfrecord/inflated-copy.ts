import { AlreadyExists, ObjectMissing, type ObjectStat } from '@stoker/storage'
import { inflatedUri } from '../scratch.js'
import type { FormatContext, FormatLimits, ShardPin } from '../types.js'
import { FrameScanner } from './frame.js'
import { inflate } from './inflate.js'
import { scanShard } from './scan.js'
import type { Compression } from './sniff.js'

/**
 * The inflated copy of a compressed shard in scratch and its payload lengths. It is written once: its name depends on
 * URI and ETag, so a copy that is there is the right one, whoever wrote it.
 */
export async function inflatedCopy(
  pin: ShardPin,
  compression: 'GZIP' | 'ZLIB',
  context: FormatContext,
  limits: FormatLimits,
): Promise<{ data: ObjectStat; lengths: Uint32Array }> {
  const ofTwin = async () => {
    const data = await statCopy(pin, compression, context)
    return data && { data, lengths: await scanShard(pin.uri, data, context, limits) }
  }
  const copy = await ofTwin()
  if (copy) return copy

  const scanner = new FrameScanner({ shard: pin.uri, compression, maxRecordBytes: limits.maxRecordBytes })
  const source = context.store.stream(pin.uri, { etag: pin.etag, ...signalOf(context) })
  try {
    // The store shows the copy only when it is whole, so a failure half-way leaves nothing behind.
    const data = await context.store.write(
      inflatedUri(context.scratch, pin, compression),
      inflate(source, { shard: pin.uri, compression, limits, scanner }),
      { ifAbsent: true, contentType: 'application/octet-stream', ...signalOf(context) },
    )
    return { data, lengths: scanner.finish(data.size) }
  } catch (error) {
    const twin = AlreadyExists.is(error) ? await ofTwin() : undefined
    if (twin) return twin
    throw error
  }
}

export async function statCopy(
  pin: ShardPin,
  compression: Compression,
  context: FormatContext,
): Promise<ObjectStat | undefined> {
  try {
    return await context.store.stat(inflatedUri(context.scratch, pin, compression), signalOf(context))
  } catch (error) {
    if (ObjectMissing.is(error)) return undefined
    throw error
  }
}

const signalOf = (context: FormatContext) => (context.signal ? { signal: context.signal } : {})
