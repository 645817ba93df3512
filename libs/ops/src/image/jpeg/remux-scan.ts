import { ImageCorrupt } from '../../error-table.js'
import { BitReader, BitWriter, type HuffmanTable } from './bits.js'

export interface FrameComponent {
  readonly id: number
  /** Sampling factors: blocks in each direction of an interleaved unit. */
  readonly across: number
  readonly down: number
}

export interface Frame {
  readonly isProgressive: boolean
  /** Interleaved units. */
  readonly columns: number
  readonly rows: number
  readonly components: readonly FrameComponent[]
}

export interface ScanComponent extends FrameComponent {
  /** Place in the frame. */
  readonly index: number
  /** Huffman tables. */
  readonly dc: number
  readonly ac: number
}

export interface ScanRemux {
  readonly frame: Frame
  readonly components: readonly ScanComponent[]
  readonly kept: readonly number[]
  /** A later pass of a progressive scan over DC values: one bit a block. */
  readonly isRefining: boolean
  readonly tables: ReadonlyMap<number, HuffmanTable>
  readonly restartInterval: number
}

/**
 * The entropy-coded data of the scan at a position, with the blocks of the kept components only, and the position behind
 * it. A scan of one component is taken as it is; in interleaved ones each block's bits are found by their Huffman codes.
 */
export function remuxScan(bytes: Uint8Array, start: number, scan: ScanRemux): { data: Uint8Array; next: number } {
  if (scan.components.length === 1 || scan.kept.length === 0) {
    const next = scanEnd(bytes, start)
    return { data: bytes.subarray(start, next), next }
  }
  const { frame, components, kept, restartInterval } = scan
  const reader = new BitReader(bytes, start)
  const writer = new BitWriter()
  const units = components.map(() => new TokenList())
  const copiers = components.map((component) => blockCopier(component, scan))
  const total = frame.columns * frame.rows
  for (let unit = 0; unit < total; unit++) {
    if (restartInterval > 0 && unit > 0 && unit % restartInterval === 0) {
      reader.restart()
      writer.mark(0xd0 + ((unit / restartInterval - 1) & 7))
    }
    components.forEach(({ across, down }, i) => {
      const tokens = units[i] as TokenList
      tokens.clear()
      for (let block = 0; block < across * down; block++) copiers[i]?.(reader, tokens)
    })
    for (const at of kept) units[at]?.writeTo(writer)
  }
  return { data: writer.bytes(), next: scanEnd(bytes, reader.at) }
}

/** Position of the marker behind entropy-coded data; restart markers belong to them. */
function scanEnd(bytes: Uint8Array, start: number): number {
  for (let at = bytes.indexOf(0xff, start); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const marker = bytes[at + 1]
    if (marker !== undefined && marker !== 0 && marker !== 0xff && (marker < 0xd0 || marker > 0xd7)) return at
  }
  return bytes.length
}

type CopyBlock = (reader: BitReader, tokens: TokenList) => void

/** Reads one block's codes. Source: ITU-T T.81, F.1.2 (sequential) and G.1.2.1 (DC of progressive scans). */
function blockCopier({ dc, ac }: ScanComponent, { frame, isRefining, tables }: ScanRemux): CopyBlock {
  if (frame.isProgressive && isRefining) return (reader, tokens) => tokens.copy(reader, 1)
  const dcTable = tables.get(dc)
  const acTable = tables.get(16 + ac)
  if (!dcTable || !(acTable || frame.isProgressive))
    throw ImageCorrupt('JPEG', 'a scan names a Huffman table that is not there')
  return (reader, tokens) => {
    tokens.copy(reader, tokens.symbol(reader, dcTable))
    if (frame.isProgressive || !acTable) return
    for (let k = 1; k < 64; k++) {
      const symbol = tokens.symbol(reader, acTable)
      const size = symbol & 15
      // A run of 16 zeros, or the end of the block.
      if (size === 0 && symbol !== 0xf0) return
      k += symbol >> 4
      tokens.copy(reader, size)
    }
  }
}

/** Bits of the blocks of one component in one unit: values and counts in turn. */
class TokenList {
  private values = new Uint16Array(4096)
  private length = 0

  clear(): void {
    this.length = 0
  }

  /** Copies a Huffman code and answers its symbol. */
  symbol(reader: BitReader, table: HuffmanTable): number {
    const entry = table[reader.peek(16)] as number
    if (entry === 0) throw ImageCorrupt('JPEG', 'a Huffman code is not in its table')
    this.copy(reader, entry >> 8)
    return entry & 0xff
  }

  copy(reader: BitReader, count: number): void {
    if (count === 0) return
    if (count > 16) throw ImageCorrupt('JPEG', `a value of ${count} bits`)
    this.values[this.length++] = reader.peek(count)
    this.values[this.length++] = count
    reader.skip(count)
  }

  writeTo(writer: BitWriter): void {
    for (let at = 0; at < this.length; at += 2) writer.put(this.values[at] as number, this.values[at + 1] as number)
  }
}
