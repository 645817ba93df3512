const LF = 10
const CR = 13
const QUOTE = 34

export interface CsvDialect {
  /** Byte that ends a cell. */
  readonly delimiter: number
  readonly hasQuotes: boolean
}

export const dialectOf = (source: { fieldDelim?: string; useQuoteDelim?: boolean }): CsvDialect => ({
  delimiter: (source.fieldDelim ?? ',').charCodeAt(0),
  hasQuotes: source.useQuoteDelim ?? true,
})

export type CellFault = 'open quote' | 'quote in quotes' | 'quote in plain'

export interface Cell {
  readonly bytes: Uint8Array
  readonly fault?: CellFault
}

/**
 * Cells of one row, without its line end. What stands in quotes may hold delimiters, line ends and doubled quotes.
 * Source: RFC 4180; where a row departs from it, tensorflow/core/kernels/data/experimental/csv_dataset_op.cc.
 */
export function cellsOf(row: Uint8Array, dialect: CsvDialect): Cell[] {
  const cells: Cell[] = []
  let at = 0
  for (;;) {
    const isQuoted = dialect.hasQuotes && row[at] === QUOTE
    const [cell, end] = isQuoted ? quotedCell(row, at, dialect) : plainCell(row, at, dialect)
    cells.push(cell)
    if (end >= row.length) return cells
    at = end + 1
  }
}

function plainCell(row: Uint8Array, start: number, { delimiter, hasQuotes }: CsvDialect): [Cell, end: number] {
  const found = row.indexOf(delimiter, start)
  const end = found < 0 ? row.length : found
  const bytes = row.subarray(start, end)
  return [hasQuotes && bytes.includes(QUOTE) ? { bytes, fault: 'quote in plain' } : { bytes }, end]
}

function quotedCell(row: Uint8Array, start: number, { delimiter }: CsvDialect): [Cell, end: number] {
  const doubled: number[] = []
  let fault: CellFault | undefined
  for (let at = start + 1; at < row.length; at++) {
    if (row[at] !== QUOTE) continue
    const next = row[at + 1]
    if (next === undefined || next === delimiter) {
      return [{ bytes: undoubled(row, start + 1, at, doubled), ...(fault ? { fault } : {}) }, at + 1]
    }
    if (next === QUOTE) doubled.push(at)
    else fault ??= 'quote in quotes'
    at++
  }
  return [{ bytes: row.subarray(start + 1), fault: fault ?? 'open quote' }, row.length]
}

/** The bytes with the quotes at the given places left out. */
function undoubled(row: Uint8Array, start: number, end: number, doubled: readonly number[]): Uint8Array {
  if (doubled.length === 0) return row.subarray(start, end)
  const out = new Uint8Array(end - start - doubled.length)
  let from = start
  let to = 0
  for (const quote of [...doubled, end]) {
    out.set(row.subarray(from, quote), to)
    to += quote - from
    from = quote + 1
  }
  return out
}

const CELL = 0
const PLAIN = 1
const QUOTED = 2
const CLOSING = 3
const AFTER_CR = 4

/** Follows rows through bytes in any portions, with the same rules as `cellsOf`. */
export class RowFollower {
  readonly #dialect: CsvDialect
  #state = CELL

  constructor(dialect: CsvDialect) {
    this.#dialect = dialect
  }

  /** True when the byte is the LF of a CRLF whose CR has ended the row already. */
  skips(byte: number | undefined): boolean {
    if (this.#state !== AFTER_CR) return false
    this.#state = CELL
    return byte === LF
  }

  /** Index of the byte, at or after `from`, that ends the row; -1 where the row goes on past these bytes. */
  endOf(bytes: Uint8Array, from: number): number {
    const { delimiter, hasQuotes } = this.#dialect
    let state = this.#state
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at]
      if (state === QUOTED) {
        if (byte === QUOTE) state = CLOSING
      } else if (byte === LF || byte === CR) {
        this.#state = byte === CR ? AFTER_CR : CELL
        return at
      } else if (byte === delimiter) state = CELL
      else if (state === CLOSING) state = QUOTED
      else if (state === CELL) state = byte === QUOTE && hasQuotes ? QUOTED : PLAIN
    }
    this.#state = state
    return -1
  }
}
