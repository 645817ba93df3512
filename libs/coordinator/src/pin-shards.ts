import { RANGE_PIN } from '@stoker/formats'
import type { ShardPin } from '@stoker/plan'
import { SOURCES, type Source } from '@stoker/spec'
import type { ObjectStore } from '@stoker/storage'

const readsShards = (source: Source): source is Extract<Source, { files: unknown }> => SOURCES[source.type].readsShards

/**
 * Lists and pins the shards of a source, in the order of its patterns, sorted within a pattern, each shard once.
 * @throws StokerError when a pattern matches nothing or an object cannot be seen.
 */
export async function pinShards(source: Source, store: ObjectStore, signal?: AbortSignal): Promise<ShardPin[]> {
  if (!readsShards(source)) return [RANGE_PIN]
  const patterns = typeof source.files === 'string' ? [source.files] : source.files
  const pins = new Map<string, ShardPin>()
  for (const pattern of patterns) {
    for (const { uri, size, etag } of await store.list(pattern, signal ? { signal } : {})) {
      if (!pins.has(uri)) pins.set(uri, { uri, size, etag })
    }
  }
  return [...pins.values()]
}
