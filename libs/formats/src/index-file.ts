import { crc32c } from '@node-rs/crc32'
import { frameOffsets } from './tfrecord/frame.js'
import type { ShardIndex } from './types.js'

/**
 * A stored index, little-endian:
 *
 *   index v1 = magic:byte[8]='STOKIDX\0' version:u32=1 count:u32 dataBytes:f64 uriBytes:u32 etagBytes:u32
 *              dataUri:utf8[uriBytes] dataEtag:utf8[etagBytes] pad:byte[to a multiple of 4] length:u32[count]
 *              crc32c:u32 (of everything before it)
 *
 * Offsets are not stored: frames follow each other without a gap, so they are sums of the lengths. A file that is cut,
 * damaged or of another version reads as undefined, and the index is built anew.
 */
const MAGIC = new TextEncoder().encode('STOKIDX\0')
const VERSION = 1
const HEAD_BYTES = 32

export function encodeIndex(index: ShardIndex): Uint8Array {
  const uri = new TextEncoder().encode(index.dataUri)
  const etag = new TextEncoder().encode(index.dataEtag)
  const lengthsAt = align4(HEAD_BYTES + uri.length + etag.length)
  const out = new Uint8Array(lengthsAt + 4 * index.count + 4)
  const view = new DataView(out.buffer)
  out.set(MAGIC)
  view.setUint32(8, VERSION, true)
  view.setUint32(12, index.count, true)
  view.setFloat64(16, index.dataBytes, true)
  view.setUint32(24, uri.length, true)
  view.setUint32(28, etag.length, true)
  out.set(uri, HEAD_BYTES)
  out.set(etag, HEAD_BYTES + uri.length)
  for (let record = 0; record < index.count; record++) {
    view.setUint32(lengthsAt + 4 * record, index.lengths[record] ?? 0, true)
  }
  view.setUint32(out.length - 4, crc32c(out.subarray(0, out.length - 4)), true)
  return out
}

export function decodeIndex(bytes: Uint8Array): ShardIndex | undefined {
  if (bytes.length < HEAD_BYTES + 4 || MAGIC.some((byte, at) => bytes[at] !== byte)) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(8, true) !== VERSION) return undefined
  if (view.getUint32(bytes.length - 4, true) !== crc32c(bytes.subarray(0, bytes.length - 4))) return undefined
  const count = view.getUint32(12, true)
  const uriEnd = HEAD_BYTES + view.getUint32(24, true)
  const etagEnd = uriEnd + view.getUint32(28, true)
  const lengthsAt = align4(etagEnd)
  if (lengthsAt + 4 * count + 4 !== bytes.length) return undefined
  const lengths = new Uint32Array(count)
  for (let record = 0; record < count; record++) lengths[record] = view.getUint32(lengthsAt + 4 * record, true)
  const text = new TextDecoder()
  return {
    count,
    dataUri: text.decode(bytes.subarray(HEAD_BYTES, uriEnd)),
    dataEtag: text.decode(bytes.subarray(uriEnd, etagEnd)),
    dataBytes: view.getFloat64(16, true),
    offsets: frameOffsets(lengths),
    lengths,
  }
}

const align4 = (bytes: number): number => (bytes + 3) & ~3
