import { ImageCorrupt } from '../../error-table.js'

/** Undoes the filters of one picture, or of one interlace pass: rows without their filter bytes, packed samples. */
export function unfilter(raw: Uint8Array, start: number, rows: number, rowBytes: number, step: number): Uint8Array {
  const out = new Uint8Array(rows * rowBytes)
  let from = start
  for (let row = 0; row < rows; row++) {
    const filter = raw[from++]
    const at = row * rowBytes
    if (filter === 0) out.set(raw.subarray(from, from + rowBytes), at)
    else if (filter === 1) sub(raw, from, out, at, rowBytes, step)
    else if (filter === 2) up(raw, from, out, at, rowBytes, row === 0)
    else if (filter === 3) average(raw, from, out, at, rowBytes, step, row === 0)
    else if (filter === 4) paeth(raw, from, out, at, rowBytes, step, row === 0)
    else throw ImageCorrupt('PNG', `row ${row} has the unknown filter ${filter}`)
    from += rowBytes
  }
  return out
}

// Indexes stay inside the arrays: `raw` has been checked to hold every row, `out` is made for them.
type Bytes = Uint8Array
const byte = (bytes: Bytes, at: number): number => bytes[at] as number

function sub(raw: Bytes, from: number, out: Bytes, at: number, rowBytes: number, step: number): void {
  for (let i = 0; i < rowBytes; i++) {
    out[at + i] = byte(raw, from + i) + (i >= step ? byte(out, at + i - step) : 0)
  }
}

function up(raw: Bytes, from: number, out: Bytes, at: number, rowBytes: number, isFirst: boolean): void {
  for (let i = 0; i < rowBytes; i++) {
    out[at + i] = byte(raw, from + i) + (isFirst ? 0 : byte(out, at + i - rowBytes))
  }
}

function average(
  raw: Bytes,
  from: number,
  out: Bytes,
  at: number,
  rowBytes: number,
  step: number,
  isFirst: boolean,
): void {
  for (let i = 0; i < rowBytes; i++) {
    const left = i >= step ? byte(out, at + i - step) : 0
    const above = isFirst ? 0 : byte(out, at + i - rowBytes)
    out[at + i] = byte(raw, from + i) + ((left + above) >> 1)
  }
}

function paeth(
  raw: Bytes,
  from: number,
  out: Bytes,
  at: number,
  rowBytes: number,
  step: number,
  isFirst: boolean,
): void {
  for (let i = 0; i < rowBytes; i++) {
    const left = i >= step ? byte(out, at + i - step) : 0
    const above = isFirst ? 0 : byte(out, at + i - rowBytes)
    const corner = i >= step && !isFirst ? byte(out, at + i - rowBytes - step) : 0
    const guess = left + above - corner
    const toLeft = Math.abs(guess - left)
    const toAbove = Math.abs(guess - above)
    const toCorner = Math.abs(guess - corner)
    const nearest = toLeft <= toAbove && toLeft <= toCorner ? left : toAbove <= toCorner ? above : corner
    out[at + i] = byte(raw, from + i) + nearest
  }
}
