import type { StokerError } from '@stoker/spec'
import { type Located, type RecordPlace, type RecordScanner, SpanList } from '../byte-format/scanner.js'
import { CsvHeader } from '../error-table.js'
import { bomBytes } from '../lines/text.js'
import { type CsvDialect, cellsOf, RowFollower } from './cells.js'

/** A header longer than this is none: a quote was left open, or the file is no table. */
const MAX_HEADER_BYTES = 2 ** 20

/** Finds the rows of a table, line ends in quotes included; the names of its header become the index's meta text. */
export class RowScanner implements RecordScanner {
  readonly #shard: string
  readonly #dialect: CsvDialect
  readonly #rows: RowFollower
  readonly #spans = new SpanList()
  /** Parts of the header, until it is whole. */
  #header: Uint8Array[] | undefined
  #headerBytes = 0
  #meta: string | undefined
  #row = 0
  #at = 0

  constructor(shard: string, dialect: CsvDialect, hasHeader: boolean) {
    this.#shard = shard
    this.#dialect = dialect
    this.#rows = new RowFollower(dialect)
    this.#header = hasHeader ? [] : undefined
  }

  get wanted(): number {
    return this.#at
  }

  push(bytes: Uint8Array, at: number): void {
    const rows = this.#rows
    const start = this.#at - at
    let from = start
    while (from < bytes.length) {
      if (!rows.skips(bytes[from])) {
        const end = rows.endOf(bytes, from)
        if (end < 0) break
        if (this.#header) this.#endHeader(bytes.subarray(start, end))
        else this.#spans.add(this.#row, at + end - this.#row)
        from = end
      }
      from++
      this.#row = at + from
    }
    this.#at = Math.max(this.#at, at + bytes.length)
    if (this.#header && start < bytes.length) this.#keepHeader(bytes.slice(start))
  }

  placeAt(): RecordPlace {
    return { shard: this.#shard, record: this.#spans.count, offset: this.#row }
  }

  finish(totalBytes: number, cut?: StokerError): Located {
    const isOpen = !cut && this.#row < totalBytes
    if (isOpen && this.#header) this.#endHeader(new Uint8Array(0))
    else if (isOpen) this.#spans.add(this.#row, totalBytes - this.#row)
    const meta = this.#meta === undefined ? {} : { meta: this.#meta }
    return { ...this.#spans.spans(), ...meta, ...(cut ? { fault: cut } : {}) }
  }

  /** `tail` are the bytes of the header that were not kept before. */
  #endHeader(tail: Uint8Array): void {
    this.#keepHeader(tail)
    const row = Buffer.concat(this.#header ?? [])
    const cells = cellsOf(row.subarray(bomBytes(row)), this.#dialect)
    if (cells.some(({ fault }) => fault)) throw this.#badHeader('its quotes do not match')
    this.#meta = JSON.stringify(cells.map(({ bytes }) => Buffer.from(bytes).toString()))
    this.#header = undefined
  }

  #keepHeader(part: Uint8Array): void {
    this.#header?.push(part)
    this.#headerBytes += part.length
    if (this.#headerBytes > MAX_HEADER_BYTES) throw this.#badHeader(`it has more than ${MAX_HEADER_BYTES} bytes`)
  }

  #badHeader(reason: string): StokerError {
    return CsvHeader(this.#shard, reason).with({ place: { shard: this.#shard, offset: 0 } })
  }
}
