import { constants, gunzipSync, inflateSync } from 'node:zlib'
import { startsFrame } from '@stoker/formats'

/** Types of sources that files are read by. */
export type FileKind = 'tfrecord' | 'csv' | 'jsonLines' | 'textLines' | 'webdataset' | 'parquet' | 'images'

const BY_ENDING: Readonly<Record<string, FileKind>> = {
  ...{ tfrecord: 'tfrecord', tfrecords: 'tfrecord', tfrec: 'tfrecord', tfr: 'tfrecord' },
  ...{ csv: 'csv', tsv: 'csv', jsonl: 'jsonLines', ndjson: 'jsonLines' },
  ...{ txt: 'textLines', text: 'textLines', log: 'textLines' },
  ...{ tar: 'webdataset', tgz: 'webdataset', parquet: 'parquet', pq: 'parquet' },
  ...{ jpg: 'images', jpeg: 'images', png: 'images', gif: 'images', bmp: 'images', webp: 'images' },
}
const PACKED = /\.(gz|gzip|zlib|z|zst|zstd)$/i

/** What a name says; shards such as `train.tfrecord-00000-of-00010` too. */
export function kindByName(name: string): FileKind | undefined {
  const base = (name.split('/').at(-1) ?? '').toLowerCase().replace(PACKED, '')
  const ending = base.split('.').at(-1) ?? ''
  if (Object.hasOwn(BY_ENDING, ending)) return BY_ENDING[ending]
  return /tfrecord/.test(base) ? 'tfrecord' : undefined
}

/** What the first bytes say, packed or not; undefined for text, which has no mark of its own, and for what is unknown. */
export function kindByBytes(bytes: Uint8Array): FileKind | undefined {
  const head = unpackedHead(bytes)
  const text = (from: number, to: number) => Buffer.from(head.subarray(from, to)).toString('latin1')
  if (startsFrame(head)) return 'tfrecord'
  if (text(0, 4) === 'PAR1') return 'parquet'
  if (text(257, 262) === 'ustar') return 'webdataset'
  const isImage =
    text(0, 3) === '\xff\xd8\xff' ||
    text(0, 8) === '\x89PNG\r\n\x1a\n' ||
    /^GIF8[79]a/.test(text(0, 6)) ||
    (text(0, 4) === 'RIFF' && text(8, 12) === 'WEBP') ||
    (text(0, 2) === 'BM' && text(6, 10) === '\0\0\0\0')
  return isImage ? 'images' : undefined
}

/** True when the bytes, cut anywhere, are text. */
export function isText(bytes: Uint8Array): boolean {
  const head = unpackedHead(bytes)
  if (head.length === 0 || head.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true })
    return true
  } catch {
    return false
  }
}

/** The start of what GZIP or ZLIB bytes hold, as far as they go; other bytes as they are. */
export function unpackedHead(bytes: Uint8Array): Uint8Array {
  const [first = 0, second = 0] = bytes
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 64 * 2 ** 20 }
  try {
    if (first === 0x1f && second === 0x8b) return gunzipSync(bytes, options)
    if ((first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0) return inflateSync(bytes, options)
  } catch {
    // Damaged, or no packed bytes at all: the name decides.
  }
  return bytes
}
