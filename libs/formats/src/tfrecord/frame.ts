import type { StokerError } from '@stoker/spec'
import { type Located, type RecordPlace, type RecordScanner, SpanList } from '../byte-format/scanner.js'
import { compressionMismatch, compressionOf } from '../compression/sniff.js'
import { LengthCorrupt, RecordTooLong, ShardTruncated } from '../error-table.js'
import { maskedCrc32c } from './crc.js'

/**
 * frame = length:u64le maskedCrc32c(length):u32le payload:byte[length] maskedCrc32c(payload):u32le
 * Source: https://www.tensorflow.org/tutorials/load_data/tfrecord#tfrecords_format_details
 */
export const HEADER_BYTES = 12
export const FOOTER_BYTES = 4
export const FRAME_BYTES = HEADER_BYTES + FOOTER_BYTES

/** Finds the frames of a shard from its headers alone: payloads may be left out. */
export class FrameScanner implements RecordScanner {
  readonly #shard: string
  /** What the bytes were taken for, for the error when they are no frames. */
  readonly #compression: string
  readonly #totalBytes: number | undefined
  readonly #header = new Uint8Array(HEADER_BYTES)
  readonly #view = new DataView(this.#header.buffer)
  readonly #spans = new SpanList()
  #headerHave = 0
  /** Start of the frame whose header comes next. */
  #frame = 0
  #fault: StokerError | undefined

  /** `totalBytes` where it is known, so that a length past the end is refused at its header. */
  constructor(options: { shard: string; compression?: string; totalBytes?: number }) {
    this.#shard = options.shard
    this.#compression = options.compression ?? 'NONE'
    this.#totalBytes = options.totalBytes
  }

  get wanted(): number {
    return this.#fault ? Number.POSITIVE_INFINITY : this.#frame + this.#headerHave
  }
  get count(): number {
    return this.#spans.count
  }

  placeAt(bytes: number): RecordPlace {
    const { count, lastOffset } = this.#spans
    const isLastCut = count > 0 && this.#frame > bytes
    return { shard: this.#shard, record: isLastCut ? count - 1 : count, offset: isLastCut ? lastOffset : this.#frame }
  }

  push(bytes: Uint8Array, at: number): void {
    while (!this.#fault) {
      const start = this.wanted - at
      if (start >= bytes.length) return
      const take = Math.min(HEADER_BYTES - this.#headerHave, bytes.length - start)
      this.#header.set(bytes.subarray(start, start + take), this.#headerHave)
      this.#headerHave += take
      if (this.#headerHave < HEADER_BYTES) return
      this.#readHeader()
    }
  }

  finish(totalBytes: number, cut?: StokerError): Located {
    const place = this.placeAt(totalBytes)
    const isLastCut = this.#frame > totalBytes
    if (!this.#fault && isLastCut) this.#fault = cut ?? this.#truncated(place, totalBytes, String(this.#frame))
    if (!this.#fault && this.#headerHave > 0) {
      this.#fault = cut ?? this.#truncated(place, totalBytes, `${this.#frame + FRAME_BYTES} or later`)
    }
    if (isLastCut) this.#spans.dropLast()
    const fault = this.#fault ?? cut
    return { ...this.#spans.spans(), ...(fault ? { fault } : {}) }
  }

  /**
   * Notes the frame of a whole header, or why there is none.
   * @throws StokerError when the shard does not even start with a frame: then it is of another kind.
   */
  #readHeader(): void {
    const place = this.placeAt(this.#frame)
    if (this.#view.getUint32(8, true) !== maskedCrc32c(this.#header.subarray(0, 8))) {
      if (this.#spans.count === 0) throw this.#noFrames(place)
      const reason = 'the checksum of its length is wrong, so no later record can be found'
      this.#fault = LengthCorrupt(this.#shard, place.record, place.offset, reason).with({ place })
      return
    }
    const low = this.#view.getUint32(0, true)
    const high = this.#view.getUint32(4, true)
    const end = this.#frame + FRAME_BYTES + high * 2 ** 32 + low
    if (this.#totalBytes !== undefined && end > this.#totalBytes) {
      this.#fault = this.#truncated(place, this.#totalBytes, String(end))
    } else if (high > 0) {
      // Compared before any number is cut to 32 bits.
      const length = String(this.#view.getBigUint64(0, true))
      this.#fault = RecordTooLong(this.#shard, place.record, place.offset, length, 0xffff_ffff).with({ place })
    } else {
      this.#spans.add(this.#frame, low)
      this.#frame = end
      this.#headerHave = 0
    }
  }

  #noFrames(place: RecordPlace): StokerError {
    const found = compressionOf(this.#header)
    if (found) return compressionMismatch(this.#shard, this.#compression, found)
    const reason = 'the checksum of its length is wrong: this is no TFRecord file, or its start is damaged'
    return LengthCorrupt(this.#shard, place.record, place.offset, reason).with({ place })
  }

  #truncated(place: RecordPlace, totalBytes: number, end: string): StokerError {
    return ShardTruncated(place.shard, place.record, place.offset, totalBytes, end).with({ place })
  }
}
