import type { COMPRESSIONS, StokerError } from '@stoker/spec'
import { CompressionMismatch } from '../error-table.js'
import { maskedCrc32c } from './crc.js'

export type Compression = (typeof COMPRESSIONS)[number]

/** The compression that the first bytes of an object speak of. RFC 1952 (gzip), RFC 1950 (zlib). */
export function compressionOf(head: Uint8Array): 'GZIP' | 'ZLIB' | undefined {
  const [first = 0, second = 0] = head
  if (head.length < 2) return undefined
  if (first === 0x1f && second === 0x8b) return 'GZIP'
  if ((first & 0x0f) === 8 && first >> 4 <= 7 && ((first << 8) | second) % 31 === 0) return 'ZLIB'
  return undefined
}

/** True when the bytes start with a TFRecord header whose checksum holds. */
export function startsFrame(head: Uint8Array): boolean {
  if (head.length < 12) return false
  const stored = new DataView(head.buffer, head.byteOffset, 12).getUint32(8, true)
  return stored === maskedCrc32c(head.subarray(0, 8))
}

/** Names the setting to change; `found` is what the bytes speak of. */
export function compressionMismatch(shard: string, set: Compression, found: Compression): StokerError {
  if (set !== 'NONE' && found !== 'NONE' && set === found) {
    return CompressionMismatch(shard, `once inflated it looks ${found}-compressed a second time`).with({
      place: { shard, record: 0, offset: 0 },
      remedy: 'compress the shard once only',
    })
  }
  const looks = found === 'NONE' ? 'uncompressed' : `${found}-compressed`
  return CompressionMismatch(shard, `compression is set to ${set}, but the shard looks ${looks}`).with({
    place: { shard, record: 0, offset: 0 },
    remedy: `set compression: '${found}'`,
  })
}
