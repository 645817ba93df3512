import type { COMPRESSIONS, StokerError } from '@stoker/spec'
import { CompressionMismatch } from '../error-table.js'

export type CompressionSetting = (typeof COMPRESSIONS)[number]
/** How the bytes of an object are packed. */
export type Compression = Exclude<CompressionSetting, 'AUTO'>
export type Packing = Exclude<Compression, 'NONE'>

/**
 * The compression that the first bytes of an object speak of. RFC 1952 (gzip), RFC 1950 (zlib), RFC 8878 (zstd, whose
 * stream may start with skippable frames). Plain bytes can look like zlib by chance: two bytes say little.
 */
export function compressionOf(head: Uint8Array): Packing | undefined {
  if (head.length < 2) return undefined
  const [first = 0, second = 0, third = 0, fourth = 0] = head
  if (first === 0x1f && second === 0x8b) return 'GZIP'
  if (first === 0x28 && second === 0xb5 && third === 0x2f && fourth === 0xfd) return 'ZSTD'
  if (first >> 4 === 5 && second === 0x2a && third === 0x4d && fourth === 0x18) return 'ZSTD'
  if ((first & 0x0f) === 8 && first >> 4 <= 7 && ((first << 8) | second) % 31 === 0) return 'ZLIB'
  return undefined
}

/** Names the setting to change; `found` is what the bytes speak of. */
export function compressionMismatch(shard: string, set: string, found: Compression): StokerError {
  const place = { shard, record: 0, offset: 0 }
  if (set !== 'NONE' && found !== 'NONE' && set === found) {
    return CompressionMismatch(shard, `once inflated it looks ${found}-compressed a second time`).with({
      place,
      remedy: 'compress the shard once only',
    })
  }
  const looks = found === 'NONE' ? 'uncompressed' : `${found}-compressed`
  return CompressionMismatch(shard, `compression is set to ${set}, but the shard looks ${looks}`).with({
    place,
    remedy: `set compression: '${found}', or leave it out`,
  })
}
