import type { FormatContext, ShardPin } from './types.js'

/** Pins the objects that patterns name: in the order of the patterns, sorted within each, every object once. */
export async function pinFiles(
  files: string | readonly string[],
  { store, signal }: FormatContext,
): Promise<ShardPin[]> {
  const pins = new Map<string, ShardPin>()
  for (const pattern of typeof files === 'string' ? [files] : files) {
    for (const { uri, size, etag } of await store.list(pattern, signal ? { signal } : {})) {
      if (!pins.has(uri)) pins.set(uri, { uri, size, etag })
    }
  }
  return [...pins.values()]
}
