import { CHANNELS, inflateRows, type PngFile } from './read.js'
import { unfilter } from './unfilter.js'

/** Adam7: first column and row of each pass, and the steps between its columns and rows. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const
const WHOLE = [[0, 0, 1, 1]] as const

/** Samples as stored, one element each, row-major; 16 bit ones in a Uint16Array. */
export type Samples = Uint8Array | Uint16Array

/** Inflates, unfilters, unpacks and de-interlaces a PNG. */
export function readSamples(png: PngFile): Samples {
  const { width, height, depth, color } = png
  const channels = CHANNELS[color] ?? 1
  const rowBytesOf = (columns: number) => Math.ceil((columns * channels * depth) / 8)
  const step = Math.max(1, (channels * depth) >> 3)
  const passes = (png.isInterlaced ? PASSES : WHOLE)
    .map(([x, y, dx, dy]) => ({
      x,
      y,
      dx,
      dy,
      columns: Math.ceil((width - x) / dx),
      rows: Math.ceil((height - y) / dy),
    }))
    .filter(({ columns, rows }) => columns > 0 && rows > 0)
  const rawBytes = passes.reduce((bytes, { rows, columns }) => bytes + rows * (1 + rowBytesOf(columns)), 0)
  const raw = inflateRows(png.packed, rawBytes)

  let picture: Samples | undefined
  let from = 0
  for (const { x, y, dx, dy, columns, rows } of passes) {
    const rowBytes = rowBytesOf(columns)
    const packed = unfilter(raw, from, rows, rowBytes, step)
    from += rows * (1 + rowBytes)
    const samples = unpack(packed, rows, columns * channels, rowBytes, depth)
    if (!png.isInterlaced) return samples
    picture ??= depth === 16 ? new Uint16Array(width * height * channels) : new Uint8Array(width * height * channels)
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const to = ((y + row * dy) * width + x + column * dx) * channels
        const at = (row * columns + column) * channels
        for (let c = 0; c < channels; c++) picture[to + c] = samples[at + c] as number
      }
    }
  }
  return picture ?? new Uint8Array(0)
}

/** Rows of packed samples (each row starts at a byte, high bits first) to one element a sample. */
function unpack(packed: Uint8Array, rows: number, rowSamples: number, rowBytes: number, depth: number): Samples {
  if (depth === 8) return packed
  if (depth === 16) {
    const wide = new Uint16Array(packed.length / 2)
    for (let at = 0; at < wide.length; at++)
      wide[at] = ((packed[2 * at] as number) << 8) | (packed[2 * at + 1] as number)
    return wide
  }
  const out = new Uint8Array(rows * rowSamples)
  const mask = (1 << depth) - 1
  for (let row = 0; row < rows; row++) {
    for (let sample = 0; sample < rowSamples; sample++) {
      const bit = sample * depth
      const byte = packed[row * rowBytes + (bit >> 3)] as number
      out[row * rowSamples + sample] = (byte >> (8 - depth - (bit & 7))) & mask
    }
  }
  return out
}
