import type { StokerError } from '@stoker/spec'
import { type Located, type RecordPlace, type RecordScanner, SpanList } from '../byte-format/scanner.js'

const LF = 10

export interface LineRules {
  /** True for a byte that counts as nothing; `offset` is its place in the shard. */
  readonly isBlank: (byte: number, offset: number) => boolean
  /** Which lines of blank bytes alone are no records: all, or only one at the end that no LF ends. */
  readonly skips: 'blank' | 'blank tail'
}

/** Finds lines: LF ends one, the last may go without. A record is a line without its LF. */
export class LineScanner implements RecordScanner {
  readonly #shard: string
  readonly #rules: LineRules
  readonly #spans = new SpanList()
  /** Start of the line that comes next, and whether it is blank so far. */
  #line = 0
  #isBlank = true
  #at = 0

  constructor(shard: string, rules: LineRules) {
    this.#shard = shard
    this.#rules = rules
  }

  get wanted(): number {
    return this.#at
  }

  push(bytes: Uint8Array, at: number): void {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
    let from = this.#at - at
    while (from < buffer.length) {
      const found = buffer.indexOf(LF, from)
      const end = found < 0 ? buffer.length : found
      for (let byte = from; this.#isBlank && byte < end; byte++) {
        this.#isBlank = this.#rules.isBlank(buffer[byte] ?? 0, at + byte)
      }
      if (found < 0) break
      this.#endLine(at + end)
      from = end + 1
    }
    this.#at = Math.max(this.#at, at + bytes.length)
  }

  placeAt(): RecordPlace {
    return { shard: this.#shard, record: this.#spans.count, offset: this.#line }
  }

  finish(totalBytes: number, cut?: StokerError): Located {
    if (cut) return { ...this.#spans.spans(), fault: cut }
    if (this.#line < totalBytes && !this.#isBlank) this.#endLine(totalBytes)
    return this.#spans.spans()
  }

  #endLine(end: number): void {
    if (!this.#isBlank || this.#rules.skips === 'blank tail') this.#spans.add(this.#line, end - this.#line)
    this.#line = end + 1
    this.#isBlank = true
  }
}
