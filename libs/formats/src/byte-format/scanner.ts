import type { StokerError } from '@stoker/spec'

export interface RecordPlace {
  readonly shard: string
  /** Index of the record within the shard, from 0. */
  readonly record: number
  /** Byte offset of the record in the (inflated) shard. */
  readonly offset: number
}

/** What a scan found. */
export interface Located {
  /** Byte offset of each record. */
  readonly offsets: Float64Array
  /** Bytes of each record, without what frames it. */
  readonly lengths: Uint32Array
  /** What the reader needs to know of the shard besides, as text: the header of a table. */
  readonly meta?: string
  /** Why no record can be found after these. */
  readonly fault?: StokerError
}

/**
 * Finds the records of one shard in its (inflated) bytes. Bytes are pushed in any portions, in order; where `wanted`
 * lies past the end of a portion, the bytes between may be left out.
 */
export interface RecordScanner {
  /** Offset of the next byte needed; Infinity when nothing after can be found. */
  readonly wanted: number
  /** Takes bytes that lie at offset `at`. */
  push(bytes: Uint8Array, at: number): void
  /** The first record that is not whole when the shard holds `bytes` bytes. */
  placeAt(bytes: number): RecordPlace
  /**
   * Ends the scan at the end of the shard. `cut` is why the bytes end before the shard does: then a record that the last
   * byte leaves open is none.
   */
  finish(totalBytes: number, cut?: StokerError): Located
}

/** Grows as records are found: 12 bytes a record. */
export class SpanList {
  #offsets = new Float64Array(1024)
  #lengths = new Uint32Array(1024)
  #count = 0

  get count(): number {
    return this.#count
  }
  get lastOffset(): number {
    return this.#offsets[this.#count - 1] ?? 0
  }
  get lastLength(): number {
    return this.#lengths[this.#count - 1] ?? 0
  }

  /** A length past 32 bits is kept as the largest there is, which every limit on records refuses. */
  add(offset: number, length: number): void {
    if (this.#count === this.#lengths.length) {
      this.#offsets = doubled(this.#offsets, new Float64Array(this.#count * 2))
      this.#lengths = doubled(this.#lengths, new Uint32Array(this.#count * 2))
    }
    this.#offsets[this.#count] = offset
    this.#lengths[this.#count++] = Math.min(length, 0xffff_ffff)
  }

  dropLast(): void {
    this.#count--
  }

  spans(): { offsets: Float64Array; lengths: Uint32Array } {
    return { offsets: this.#offsets.slice(0, this.#count), lengths: this.#lengths.slice(0, this.#count) }
  }
}

function doubled<Numbers extends Float64Array | Uint32Array>(from: Numbers, into: Numbers): Numbers {
  into.set(from)
  return into
}
