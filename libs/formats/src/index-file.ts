import { crc32c } from '@node-rs/crc32'
import type { ErrorView } from '@stoker/spec'
import type { ShardIndex } from './types.js'

/**
 * A stored index, little-endian:
 *
 *   index v2 = magic:byte[8]='STOKIDX\0' version:u32=2 spans:u32 dataBytes:f64
 *              uriBytes:u32 etagBytes:u32 metaBytes:u32 faultBytes:u32 flags:u32 gap:u32 first:f64
 *              dataUri:utf8[uriBytes] dataEtag:utf8[etagBytes] meta:utf8[metaBytes] fault:json[faultBytes]
 *              pad:byte[to a multiple of 8] (offset:f64[spans])? length:u32[spans]
 *              crc32c:u32 (of everything before it)
 *   flags    = 1: offsets are stored | 2: there is a meta text
 *
 * Without stored offsets records follow each other from `first` on, `gap` bytes between the end of one and the next.
 * Of the records that the index counts, one more than there are spans stands for the fault where there is one.
 *
 *   index v1 = magic version:u32=1 count:u32 dataBytes:f64 uriBytes:u32 etagBytes:u32 dataUri dataEtag
 *              pad:byte[to a multiple of 4] length:u32[count] crc32c:u32        (first 0, gap 16: TFRecord frames)
 *
 * A file that is cut, damaged or of another version reads as undefined, and the index is built anew.
 */
const MAGIC = new TextEncoder().encode('STOKIDX\0')
const HEAD_V1 = 32
const HEAD_V2 = 56
const GAP_V1 = 16
const STORES_OFFSETS = 1
const HAS_META = 2

export function encodeIndex(index: ShardIndex): Uint8Array {
  const { offsets, lengths } = index
  const texts = [index.dataUri, index.dataEtag, index.meta ?? '', index.fault ? JSON.stringify(index.fault) : ''].map(
    (text) => Buffer.from(text),
  )
  const gap = gapOf(offsets, lengths)
  const offsetsAt = align8(HEAD_V2 + texts.reduce((bytes, text) => bytes + text.length, 0))
  const lengthsAt = offsetsAt + (gap === undefined ? 8 * offsets.length : 0)
  const out = new Uint8Array(lengthsAt + 4 * lengths.length + 4)
  const view = new DataView(out.buffer)
  out.set(MAGIC)
  view.setUint32(8, 2, true)
  view.setUint32(12, lengths.length, true)
  view.setFloat64(16, index.dataBytes, true)
  for (const [at, text] of texts.entries()) view.setUint32(24 + 4 * at, text.length, true)
  view.setUint32(40, (gap === undefined ? STORES_OFFSETS : 0) | (index.meta === undefined ? 0 : HAS_META), true)
  view.setUint32(44, gap ?? 0, true)
  view.setFloat64(48, offsets[0] ?? 0, true)
  out.set(Buffer.concat(texts), HEAD_V2)
  if (gap === undefined) offsets.forEach((offset, record) => void view.setFloat64(offsetsAt + 8 * record, offset, true))
  lengths.forEach((length, record) => void view.setUint32(lengthsAt + 4 * record, length, true))
  view.setUint32(out.length - 4, crc32c(out.subarray(0, out.length - 4)), true)
  return out
}

export function decodeIndex(bytes: Uint8Array): ShardIndex | undefined {
  if (bytes.length < HEAD_V1 + 4 || MAGIC.some((byte, at) => bytes[at] !== byte)) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (view.getUint32(bytes.length - 4, true) !== crc32c(bytes.subarray(0, bytes.length - 4))) return undefined
  const version = view.getUint32(8, true)
  if (version === 1) return decodeV1(bytes, view)
  return version === 2 && bytes.length >= HEAD_V2 + 4 ? decodeV2(bytes, view) : undefined
}

function decodeV2(bytes: Uint8Array, view: DataView): ShardIndex | undefined {
  const spans = view.getUint32(12, true)
  const flags = view.getUint32(40, true)
  const texts: string[] = []
  let at = HEAD_V2
  for (let text = 0; text < 4; text++) {
    const end = at + view.getUint32(24 + 4 * text, true)
    texts.push(Buffer.from(bytes.subarray(at, end)).toString())
    at = end
  }
  const [dataUri = '', dataEtag = '', meta = '', fault = ''] = texts
  const offsetsAt = align8(at)
  const lengthsAt = offsetsAt + (flags & STORES_OFFSETS ? 8 * spans : 0)
  if (lengthsAt + 4 * spans + 4 !== bytes.length) return undefined
  const lengths = Uint32Array.from({ length: spans }, (_, record) => view.getUint32(lengthsAt + 4 * record, true))
  const offsets =
    flags & STORES_OFFSETS
      ? Float64Array.from({ length: spans }, (_, record) => view.getFloat64(offsetsAt + 8 * record, true))
      : summed(lengths, view.getFloat64(48, true), view.getUint32(44, true))
  return {
    count: spans + (fault ? 1 : 0),
    dataUri,
    dataEtag,
    dataBytes: view.getFloat64(16, true),
    offsets,
    lengths,
    ...(flags & HAS_META ? { meta } : {}),
    ...(fault ? { fault: JSON.parse(fault) as ErrorView } : {}),
  }
}

function decodeV1(bytes: Uint8Array, view: DataView): ShardIndex | undefined {
  const count = view.getUint32(12, true)
  const uriEnd = HEAD_V1 + view.getUint32(24, true)
  const etagEnd = uriEnd + view.getUint32(28, true)
  const lengthsAt = (etagEnd + 3) & ~3
  if (lengthsAt + 4 * count + 4 !== bytes.length) return undefined
  const lengths = Uint32Array.from({ length: count }, (_, record) => view.getUint32(lengthsAt + 4 * record, true))
  const text = new TextDecoder()
  return {
    count,
    dataUri: text.decode(bytes.subarray(HEAD_V1, uriEnd)),
    dataEtag: text.decode(bytes.subarray(uriEnd, etagEnd)),
    dataBytes: view.getFloat64(16, true),
    offsets: summed(lengths, 0, GAP_V1),
    lengths,
  }
}

/** Bytes between the end of each record and the next, where they are the same for all; else undefined. */
function gapOf(offsets: Float64Array, lengths: Uint32Array): number | undefined {
  const gapAfter = (record: number) => (offsets[record + 1] ?? 0) - (offsets[record] ?? 0) - (lengths[record] ?? 0)
  const gap = offsets.length > 1 ? gapAfter(0) : 0
  if (gap < 0 || gap > 0xffff_ffff) return undefined
  for (let record = 1; record + 1 < offsets.length; record++) if (gapAfter(record) !== gap) return undefined
  return gap
}

function summed(lengths: Uint32Array, first: number, gap: number): Float64Array {
  const offsets = new Float64Array(lengths.length)
  let at = first
  for (const [record, length] of lengths.entries()) {
    offsets[record] = at
    at += length + gap
  }
  return offsets
}

const align8 = (bytes: number): number => (bytes + 7) & ~7
