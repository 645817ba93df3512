import type { StokerError } from '@stoker/spec'
import { type Located, type RecordPlace, type RecordScanner, SpanList } from '../byte-format/scanner.js'
import { type CompressionSetting, compressionMismatch, compressionOf } from '../compression/sniff.js'
import { TarHeaderBad, TarTruncated } from '../error-table.js'
import { isZeros } from './header.js'
import { type Member, MemberReader } from './members.js'
import { sampleName } from './sample-name.js'

const NOTHING = new Uint8Array(0)

/**
 * Finds samples: neighbouring files of one key. A record is everything from the first header of its first file to the
 * end of the blocks of its last, so that it is read in one piece. A sample is whole once another follows or the archive
 * ends: one that a damaged or cut shard leaves open is none.
 */
export class SampleScanner implements RecordScanner {
  readonly #shard: string
  readonly #compression: CompressionSetting
  readonly #totalBytes: number | undefined
  readonly #spans = new SpanList()
  readonly #members = new MemberReader(0)
  /** Bytes so far of those that the reader asked for. */
  #held: Uint8Array = NOTHING
  #open: { readonly key: string; readonly start: number; end: number } | undefined
  #fault: StokerError | undefined

  constructor(options: { shard: string; compression: CompressionSetting; totalBytes?: number }) {
    this.#shard = options.shard
    this.#compression = options.compression
    this.#totalBytes = options.totalBytes
  }

  get wanted(): number {
    return this.#fault || this.#members.isOver ? Number.POSITIVE_INFINITY : this.#members.at + this.#held.length
  }

  push(bytes: Uint8Array, at: number): void {
    for (let from = this.wanted - at; from < bytes.length; from = this.wanted - at) {
      const part = bytes.subarray(from, from + this.#members.need - this.#held.length)
      this.#held = this.#held.length === 0 ? part : Buffer.concat([this.#held, part])
      if (this.#held.length < this.#members.need) {
        // The portion is not ours to keep.
        this.#held = this.#held.slice()
        return
      }
      const block = this.#held
      this.#held = NOTHING
      this.#take(block)
    }
  }

  placeAt(): RecordPlace {
    return { shard: this.#shard, record: this.#spans.count, offset: this.#open?.start ?? this.#members.at }
  }

  finish(totalBytes: number, cut?: StokerError): Located {
    const { at, need, isOver, isBetween } = this.#members
    if (at === 0 && !cut && !isZeros(this.#held)) throw this.#bad(0, this.#held, 'it is shorter than a header')
    const isWhole = isOver || (at <= totalBytes && isBetween && isZeros(this.#held))
    if (!isWhole)
      this.#fault ??= cut ?? this.#truncated(totalBytes, at > totalBytes ? String(at) : `${at + need} or later`)
    const fault = this.#fault ?? (isOver ? undefined : cut)
    if (fault) return { ...this.#spans.spans(), fault }
    this.#close()
    return this.#spans.spans()
  }

  #take(block: Uint8Array): void {
    const at = this.#members.at
    const member = this.#members.take(block)
    if (typeof member === 'string') this.#fault = this.#bad(at, block, member)
    else if (member) this.#add(member)
  }

  #add({ name, isFile, start }: Member): void {
    const { at: end } = this.#members
    const key = isFile ? sampleName(name)?.key : undefined
    if (key !== undefined && this.#open?.key !== key) {
      this.#close()
      this.#open = { key, start, end }
    }
    if (this.#totalBytes !== undefined && end > this.#totalBytes) {
      this.#fault = this.#truncated(this.#totalBytes, String(end))
    } else if (key !== undefined && this.#open) this.#open.end = end
  }

  #close(): void {
    if (this.#open) this.#spans.add(this.#open.start, this.#open.end - this.#open.start)
    this.#open = undefined
  }

  /** @throws StokerError when the shard does not even start with a header: then it is of another kind. */
  #bad(at: number, block: Uint8Array, why: string): StokerError {
    const place = { ...this.placeAt(), offset: at }
    if (at === 0) {
      const found = compressionOf(block)
      if (found) throw compressionMismatch(this.#shard, this.#compression, found)
      throw TarHeaderBad(place.shard, 0, 0, `this is no tar file, or its start is damaged: ${why}`).with({ place })
    }
    return TarHeaderBad(place.shard, place.record, at, why).with({ place })
  }

  #truncated(totalBytes: number, end: string): StokerError {
    const place = this.placeAt()
    return TarTruncated(place.shard, place.record, place.offset, totalBytes, end).with({ place })
  }
}
