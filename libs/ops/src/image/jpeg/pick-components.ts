import { ImageCorrupt, ImageUnsupported } from '../../error-table.js'
import { type HuffmanTable, readHuffmanTables } from './bits.js'
import { type Frame, type FrameComponent, remuxScan, type ScanComponent } from './remux-scan.js'

const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const DQT = 0xdb
const DHT = 0xc4
const DRI = 0xdd

/**
 * The same JPEG with only some of its components, in the order given, under new identifiers. Nothing is decoded but the
 * lengths of Huffman codes: the bits of each block are copied, so that any decoder computes the same samples from them.
 * It serves images of four components, for which the binding of libjpeg-turbo has no output format.
 *
 * Where one of several interleaved components of a scan is left and has more than one block a unit, its blocks would have
 * to be ordered anew; such files are refused, and so are those whose largest sampling factors belong to no kept component.
 */
export function pickComponents(bytes: Uint8Array, keep: readonly number[], ids: readonly number[]): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0xff, SOI)]
  const tables = new Map<number, HuffmanTable>()
  let frame: Frame | undefined
  let restartInterval = 0
  const end = walk(bytes, (marker, body, at) => {
    if (marker === DQT || marker === DHT || marker === DRI) parts.push(segment(marker, body))
    if (marker === DHT) readHuffmanTables(body, tables)
    if (marker === DRI) restartInterval = ((body[0] ?? 0) << 8) | (body[1] ?? 0)
    if (isFrame(marker)) {
      frame = readFrame(marker, body)
      parts.push(segment(marker, frameBody(body, frame, keep, ids)))
    }
    if (marker !== SOS) return at
    if (!frame) throw damaged('a scan comes before its frame header')
    const scan = readScan(body, frame, keep)
    const { data, next } = remuxScan(bytes, at, { ...scan, frame, tables, restartInterval })
    if (scan.kept.length > 0) parts.push(segment(SOS, scanBody(body, scan, keep, ids)), data)
    return next
  })
  if (!end) throw damaged('it ends before its end marker')
  parts.push(Uint8Array.of(0xff, EOI))
  return Buffer.concat(parts)
}

const damaged = (reason: string) => ImageCorrupt('JPEG', reason)
const unsupported = (reason: string) => ImageUnsupported('JPEG', `it has four components and ${reason}`)

/** Calls for each segment with its body and the position behind it; the answer is where to go on. True at the end marker. */
function walk(bytes: Uint8Array, visit: (marker: number, body: Uint8Array, at: number) => number): boolean {
  for (let at = 2; at < bytes.length; ) {
    at = bytes.indexOf(0xff, at)
    if (at < 0) return false
    while (bytes[at] === 0xff) at++
    const marker = bytes[at++] ?? 0
    if (marker === EOI) return true
    // A stuffed byte, TEM, a restart marker or another start: no segment.
    if (marker <= 1 || (marker >= 0xd0 && marker <= SOI)) continue
    const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
    if (length < 2 || at + length > bytes.length) return false
    at = visit(marker, bytes.subarray(at + 2, at + length), at + length)
  }
  return false
}

function segment(marker: number, body: Uint8Array): Uint8Array {
  const length = body.length + 2
  return Buffer.concat([Uint8Array.of(0xff, marker, length >> 8, length & 0xff), body])
}

const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

function readFrame(marker: number, body: Uint8Array): Frame {
  if (marker > 0xc2) throw unsupported('arithmetic or lossless coding')
  if (body[0] !== 8) throw unsupported(`${body[0]} bits a sample`)
  const short = (at: number) => ((body[at] ?? 0) << 8) | (body[at + 1] ?? 0)
  const components = Array.from({ length: body[5] ?? 0 }, (_, i): FrameComponent => {
    const factors = body[6 + 3 * i + 1] ?? 0
    return { id: body[6 + 3 * i] ?? 0, across: factors >> 4, down: factors & 15 }
  })
  if (components.some(({ across, down }) => across < 1 || down < 1)) throw damaged('a sampling factor is 0')
  const most = (side: 'across' | 'down') => Math.max(...components.map((component) => component[side]))
  return {
    isProgressive: marker === 0xc2,
    columns: Math.ceil(short(3) / (8 * most('across'))),
    rows: Math.ceil(short(1) / (8 * most('down'))),
    components,
  }
}

function frameBody(body: Uint8Array, frame: Frame, keep: readonly number[], ids: readonly number[]): Uint8Array {
  for (const side of ['across', 'down'] as const) {
    const most = (of: readonly number[]) => Math.max(...of.map((i) => frame.components[i]?.[side] ?? 0))
    if (most(keep) !== most([...frame.components.keys()])) throw unsupported('unusual sampling factors')
  }
  const rows = keep.map((i, to) => [ids[to] ?? 0, ...body.subarray(6 + 3 * i + 1, 6 + 3 * i + 3)])
  return Uint8Array.of(...body.subarray(0, 5), keep.length, ...rows.flat())
}

interface Scan {
  readonly components: readonly ScanComponent[]
  /** Places in `components`, in the order of the new frame. */
  readonly kept: readonly number[]
  readonly isRefining: boolean
}

function readScan(body: Uint8Array, frame: Frame, keep: readonly number[]): Scan {
  const count = body[0] ?? 0
  const components = Array.from({ length: count }, (_, i): ScanComponent => {
    const index = frame.components.findIndex(({ id }) => id === body[1 + 2 * i])
    const component = frame.components[index]
    if (!component) throw damaged('a scan names a component that the frame has not')
    const selectors = body[2 + 2 * i] ?? 0
    return { ...component, index, dc: selectors >> 4, ac: selectors & 15 }
  })
  const kept = keep.map((index) => components.findIndex((one) => one.index === index)).filter((at) => at >= 0)
  const only = components[kept[0] ?? -1]
  if (kept.length === 1 && count > 1 && only && only.across * only.down > 1) throw unsupported('unusual scans')
  return { components, kept, isRefining: (body[2 * count + 3] ?? 0) >> 4 !== 0 }
}

function scanBody(body: Uint8Array, { components, kept }: Scan, keep: readonly number[], ids: readonly number[]) {
  const rows = kept.map((at) => {
    const place = keep.indexOf(components[at]?.index ?? -1)
    return [ids[place] ?? 0, body[2 + 2 * at] ?? 0]
  })
  return Uint8Array.of(kept.length, ...rows.flat(), ...body.subarray(1 + 2 * components.length))
}
