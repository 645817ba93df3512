import { ObjectMissing, ShardChanged } from '@stoker/storage'
import { detectCompression } from '../compression/detect.js'
import { inflatedCopy, statIfThere } from '../compression/inflated-copy.js'
import { decodeIndex, encodeIndex } from '../index-file.js'
import { indexUri } from '../scratch.js'
import { DEFAULT_LIMITS, type FormatContext, type ShardIndex, type ShardPin } from '../types.js'
import type { ByteFormat, ByteSource } from './format.js'
import { scanObject } from './scan-object.js'
import type { Located } from './scanner.js'

/** The index of a shard: from scratch when an earlier run left it whole, else built and left there. */
export async function indexShard<S extends ByteSource>(
  format: ByteFormat<S>,
  pin: ShardPin,
  source: S,
  context: FormatContext,
): Promise<ShardIndex> {
  const uri = indexUriOf(format, pin, source, context)
  return (await storedIndex(uri, pin, context)) ?? buildIndex(format, pin, source, context)
}

async function buildIndex<S extends ByteSource>(
  format: ByteFormat<S>,
  pin: ShardPin,
  source: S,
  context: FormatContext,
): Promise<ShardIndex> {
  const { data, located } = await locate(format, pin, source, context)
  const { offsets, lengths, meta, fault } = located
  const index: ShardIndex = {
    count: lengths.length + (fault ? 1 : 0),
    dataUri: data.uri,
    dataEtag: data.etag,
    dataBytes: data.size,
    offsets,
    lengths,
    ...(meta === undefined ? {} : { meta }),
    ...(fault ? { fault: fault.toJSON() } : {}),
  }
  await context.store.write(indexUriOf(format, pin, source, context), encodeIndex(index), {
    contentType: 'application/octet-stream',
    ...signalOf(context),
  })
  return index
}

async function locate<S extends ByteSource>(
  format: ByteFormat<S>,
  pin: ShardPin,
  source: S,
  context: FormatContext,
): Promise<{ data: ShardPin; located: Located }> {
  const limits = { ...DEFAULT_LIMITS, ...context.limits }
  const { isPlain } = format
  const setting = source.compression ?? 'AUTO'
  const packing = setting === 'AUTO' ? await detectCompression(pin, isPlain, context) : setting
  const scanner = (totalBytes?: number) =>
    format.scanner(source, {
      shard: pin.uri,
      compression: packing,
      ...(totalBytes === undefined ? {} : { totalBytes }),
    })
  // An empty object is an empty shard in any compression, as in TensorFlow.
  if (packing === 'NONE' || pin.size === 0) {
    const beside = await format.sidecar?.(pin, context, limits)
    return { data: pin, located: beside ?? (await scanObject(pin, scanner(pin.size), context)) }
  }
  return inflatedCopy(pin, { packing, limits, isPlain, scanner }, context)
}

/** The same index over a data object that is there now, for when scratch was cleaned or written anew. */
export async function relocated<S extends ByteSource>(
  format: ByteFormat<S>,
  pin: ShardPin,
  index: ShardIndex,
  source: S,
  context: FormatContext,
): Promise<ShardIndex> {
  const copy = await statIfThere(index.dataUri, context)
  if (copy?.size !== index.dataBytes) return buildIndex(format, pin, source, context)
  return { ...index, dataEtag: copy.etag }
}

async function storedIndex(uri: string, pin: ShardPin, context: FormatContext): Promise<ShardIndex | undefined> {
  const bytes = await context.store.readAll(uri, signalOf(context)).catch((error: unknown) => {
    if (isLost(error)) return undefined
    throw error
  })
  const index = bytes && decodeIndex(bytes)
  if (!index || index.dataUri === pin.uri) return index
  const copy = await statIfThere(index.dataUri, context)
  return copy?.size === index.dataBytes ? { ...index, dataEtag: copy.etag } : undefined
}

function indexUriOf<S extends ByteSource>(
  format: ByteFormat<S>,
  pin: ShardPin,
  source: S,
  { scratch }: FormatContext,
): string {
  return indexUri(scratch, pin, format.name, source.compression ?? 'AUTO', ...(format.indexParams?.(source) ?? []))
}

/** True when an object that was there is gone or has been replaced. */
export const isLost = (error: unknown): boolean => ObjectMissing.is(error) || ShardChanged.is(error)

const signalOf = (context: FormatContext) => (context.signal ? { signal: context.signal } : {})
