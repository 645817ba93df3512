import { LengthCorrupt, RecordTooLong, ShardTruncated } from '../error-table.js'
import { maskedCrc32c } from './crc.js'
import { type Compression, compressionMismatch, compressionOf } from './sniff.js'

/**
 * frame = length:u64le maskedCrc32c(length):u32le payload:byte[length] maskedCrc32c(payload):u32le
 * Source: https://www.tensorflow.org/tutorials/load_data/tfrecord#tfrecords_format_details
 */
export const HEADER_BYTES = 12
export const FOOTER_BYTES = 4
export const FRAME_BYTES = HEADER_BYTES + FOOTER_BYTES

/**
 * Finds the frames of a shard from its headers alone. Bytes are pushed in any portions, in order; payload bytes may be
 * left out: only `wanted` counts.
 */
export class FrameScanner {
  readonly #shard: string
  readonly #maxRecordBytes: number
  readonly #totalBytes: number | undefined
  readonly #compression: Compression
  readonly #header = new Uint8Array(HEADER_BYTES)
  readonly #view = new DataView(this.#header.buffer)
  #headerHave = 0
  /** Start of the frame whose header comes next. */
  #frame = 0
  #lengths = new Uint32Array(1024)
  #count = 0

  /** `totalBytes` where it is known, so that a length past the end is refused at its header. */
  constructor(options: { shard: string; compression: Compression; maxRecordBytes: number; totalBytes?: number }) {
    this.#shard = options.shard
    this.#maxRecordBytes = options.maxRecordBytes
    this.#totalBytes = options.totalBytes
    this.#compression = options.compression
  }

  /** Offset of the next byte the scanner needs. */
  get wanted(): number {
    return this.#frame + this.#headerHave
  }
  get count(): number {
    return this.#count
  }
  /** The first record that is not whole when the shard holds `bytes` bytes. */
  placeAt(bytes: number): { shard: string; record: number; offset: number } {
    const isLastCut = this.#count > 0 && this.#frame > bytes
    const record = isLastCut ? this.#count - 1 : this.#count
    const offset = isLastCut ? this.#frame - FRAME_BYTES - this.lastLength : this.#frame
    return { shard: this.#shard, record, offset }
  }
  get lastLength(): number {
    return this.#lengths[this.#count - 1] ?? 0
  }

  /** Takes bytes that lie at offset `at` of the shard. */
  push(bytes: Uint8Array, at: number): void {
    for (;;) {
      const start = this.wanted - at
      if (start >= bytes.length) return
      const take = Math.min(HEADER_BYTES - this.#headerHave, bytes.length - start)
      this.#header.set(bytes.subarray(start, start + take), this.#headerHave)
      this.#headerHave += take
      if (this.#headerHave < HEADER_BYTES) return
      this.#addFrame(this.#checkedLength())
    }
  }

  /** Ends the scan; the shard must end with a whole frame. */
  finish(totalBytes: number): Uint32Array {
    const place = this.placeAt(totalBytes)
    if (this.#frame > totalBytes) throw this.#truncated(place, totalBytes, String(this.#frame))
    if (this.#headerHave > 0) throw this.#truncated(place, totalBytes, `${this.#frame + FRAME_BYTES} or later`)
    return this.#lengths.slice(0, this.#count)
  }

  #addFrame(length: number): void {
    if (this.#count === this.#lengths.length) {
      const grown = new Uint32Array(this.#count * 2)
      grown.set(this.#lengths)
      this.#lengths = grown
    }
    this.#lengths[this.#count++] = length
    this.#frame += FRAME_BYTES + length
    this.#headerHave = 0
  }

  #checkedLength(): number {
    const place = { shard: this.#shard, record: this.#count, offset: this.#frame }
    if (this.#view.getUint32(8, true) !== maskedCrc32c(this.#header.subarray(0, 8))) {
      const found = this.#count === 0 ? compressionOf(this.#header) : undefined
      if (found) throw compressionMismatch(this.#shard, this.#compression, found)
      const reason =
        this.#count > 0
          ? 'the checksum of its length is wrong, so no later record can be found'
          : 'the checksum of its length is wrong: this is no TFRecord file, or its start is damaged'
      throw LengthCorrupt(this.#shard, this.#count, this.#frame, reason).with({ place })
    }
    const low = this.#view.getUint32(0, true)
    const high = this.#view.getUint32(4, true)
    const end = this.#frame + FRAME_BYTES + high * 2 ** 32 + low
    if (this.#totalBytes !== undefined && end > this.#totalBytes) {
      throw this.#truncated(place, this.#totalBytes, String(end))
    }
    // Compared before any number is cut to 32 bits and before any memory is asked for.
    if (high > 0 || low > this.#maxRecordBytes) {
      const length = this.#view.getBigUint64(0, true)
      throw RecordTooLong(this.#shard, this.#count, this.#frame, String(length), this.#maxRecordBytes).with({ place })
    }
    return low
  }

  #truncated(place: { shard: string; record: number; offset: number }, totalBytes: number, end: string) {
    return ShardTruncated(place.shard, place.record, place.offset, totalBytes, end).with({ place })
  }
}

/** Start of each frame, from the payload lengths. */
export function frameOffsets(lengths: Uint32Array): Float64Array {
  const offsets = new Float64Array(lengths.length)
  let at = 0
  for (let record = 0; record < lengths.length; record++) {
    offsets[record] = at
    at += FRAME_BYTES + (lengths[record] ?? 0)
  }
  return offsets
}
