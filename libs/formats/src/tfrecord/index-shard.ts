import { ObjectMissing, ShardChanged } from '@stoker/storage'
import { decodeIndex, encodeIndex } from '../index-file.js'
import { indexUri } from '../scratch.js'
import { DEFAULT_LIMITS, type FormatContext, type ShardIndex, type ShardPin } from '../types.js'
import { frameOffsets } from './frame.js'
import { inflatedCopy, statCopy } from './inflated-copy.js'
import { scanShard } from './scan.js'
import { sidecarLengths } from './sidecar.js'
import type { Compression } from './sniff.js'

/** The index of a shard: from scratch when an earlier run left it whole, else built and left there. */
export async function indexShard(pin: ShardPin, compression: Compression, context: FormatContext): Promise<ShardIndex> {
  return (await storedIndex(pin, compression, context)) ?? buildIndex(pin, compression, context)
}

async function buildIndex(pin: ShardPin, compression: Compression, context: FormatContext): Promise<ShardIndex> {
  const limits = { ...DEFAULT_LIMITS, ...context.limits }
  // An empty object is an empty shard in any compression, as in TensorFlow.
  const isPlain = compression === 'NONE' || pin.size === 0
  const { data, lengths } = isPlain
    ? {
        data: pin,
        lengths: (await sidecarLengths(pin, context, limits)) ?? (await scanShard(pin.uri, pin, context, limits)),
      }
    : await inflatedCopy(pin, compression, context, limits)
  const index: ShardIndex = {
    count: lengths.length,
    dataUri: data.uri,
    dataEtag: data.etag,
    dataBytes: data.size,
    offsets: frameOffsets(lengths),
    lengths,
  }
  await context.store.write(indexUri(context.scratch, pin, 'tfrecord', compression), encodeIndex(index), {
    contentType: 'application/octet-stream',
    ...signalOf(context),
  })
  return index
}

/** The same index over a data object that is there now, for when scratch was cleaned or written anew. */
export async function relocated(
  pin: ShardPin,
  index: ShardIndex,
  compression: Compression,
  context: FormatContext,
): Promise<ShardIndex> {
  const copy = await statCopy(pin, compression, context)
  if (copy?.size !== index.dataBytes) return buildIndex(pin, compression, context)
  return { ...index, dataEtag: copy.etag }
}

async function storedIndex(
  pin: ShardPin,
  compression: Compression,
  context: FormatContext,
): Promise<ShardIndex | undefined> {
  const uri = indexUri(context.scratch, pin, 'tfrecord', compression)
  const bytes = await context.store.readAll(uri, signalOf(context)).catch((error: unknown) => {
    if (isLost(error)) return undefined
    throw error
  })
  const index = bytes && decodeIndex(bytes)
  if (!index || index.dataUri === pin.uri) return index
  const copy = await statCopy(pin, compression, context)
  return copy?.size === index.dataBytes ? { ...index, dataEtag: copy.etag } : undefined
}

/** True when an object that was there is gone or has been replaced. */
export const isLost = (error: unknown): boolean => ObjectMissing.is(error) || ShardChanged.is(error)

const signalOf = (context: FormatContext) => (context.signal ? { signal: context.signal } : {})
