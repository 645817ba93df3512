import { crc32, inflateSync } from 'node:zlib'
import { ImageCorrupt, ImageTooLarge } from '../../error-table.js'

/** Colour types. Source of everything here: W3C PNG specification, third edition. */
export const GREY = 0
export const RGB = 2
export const PALETTE = 3
export const GREY_ALPHA = 4
export const RGBA = 6

export const CHANNELS: Readonly<Record<number, number>> = {
  [GREY]: 1,
  [RGB]: 3,
  [PALETTE]: 1,
  [GREY_ALPHA]: 2,
  [RGBA]: 4,
}
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  [GREY]: [1, 2, 4, 8, 16],
  [RGB]: [8, 16],
  [PALETTE]: [1, 2, 4, 8],
  [GREY_ALPHA]: [8, 16],
  [RGBA]: [8, 16],
}

export interface PngHeader {
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly color: number
  readonly isInterlaced: boolean
}

export interface PngFile extends PngHeader {
  readonly palette: Uint8Array | undefined
  readonly transparency: Uint8Array | undefined
  /** Exponent of the stored samples, 1/2.2 for most pictures; undefined where the file says nothing. */
  readonly gamma: number | undefined
  /** Concatenated IDAT bodies. */
  readonly packed: Uint8Array
}

const SIGNATURE_BYTES = 8
const damaged = (reason: string) => ImageCorrupt('PNG', reason)

/** Chunks of a PNG up to IEND, each with its checksum checked. What follows IEND is ignored, as libpng does. */
export function readPng(bytes: Uint8Array, maxPixels: number): PngFile {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let header: PngHeader | undefined
  let palette: Uint8Array | undefined
  let transparency: Uint8Array | undefined
  let gamma: number | undefined
  const parts: Uint8Array[] = []
  for (let at = SIGNATURE_BYTES; ; ) {
    if (at + 12 > bytes.length) throw damaged('it ends before its IEND chunk')
    const length = view.getUint32(at)
    const end = at + 12 + length
    if (end > bytes.length) throw damaged(`it ends within a chunk of ${length} bytes`)
    const kind = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    const body = bytes.subarray(at + 8, at + 8 + length)
    // Bit 5 of the first letter: the chunk may be ignored, and so may one that is damaged.
    const isAncillary = ((bytes[at + 4] ?? 0) & 32) !== 0
    const isSound = crc32(bytes.subarray(at + 4, end - 4)) === view.getUint32(end - 4)
    if (!isSound && !isAncillary) throw damaged(`the checksum of chunk ${kind} is wrong`)
    if (!header && kind !== 'IHDR') throw damaged('it does not start with an IHDR chunk')
    if (kind === 'IHDR') header = readHeader(body, maxPixels)
    else if (kind === 'PLTE') palette = body
    else if (kind === 'IDAT') parts.push(body)
    else if (kind === 'IEND') break
    else if (!isAncillary) throw damaged(`unknown critical chunk ${kind}`)
    else if (isSound && kind === 'tRNS') transparency = body
    else if (isSound && kind === 'gAMA' && length === 4) gamma = view.getUint32(at + 8) / 100_000
    else if (isSound && kind === 'sRGB') gamma = 0.45455
    at = end
  }
  if (!header || parts.length === 0) throw damaged('it has no image data')
  if (header.color === PALETTE && !palette) throw damaged('it has no palette')
  const [only] = parts
  const packed = parts.length === 1 && only ? only : Buffer.concat(parts)
  return { ...header, palette, transparency, gamma, packed }
}

function readHeader(body: Uint8Array, maxPixels: number): PngHeader {
  if (body.length !== 13) throw damaged(`its IHDR chunk has ${body.length} bytes`)
  const view = new DataView(body.buffer, body.byteOffset, body.length)
  const width = view.getUint32(0)
  const height = view.getUint32(4)
  const depth = view.getUint8(8)
  const color = view.getUint8(9)
  const interlace = view.getUint8(12)
  if (width === 0 || height === 0) throw damaged(`its size is ${width} x ${height}`)
  if (!DEPTHS[color]?.includes(depth)) throw damaged(`colour type ${color} with ${depth} bits`)
  if (view.getUint8(10) !== 0 || view.getUint8(11) !== 0 || interlace > 1)
    throw damaged('unknown compression or filter')
  if (width * height > maxPixels) throw ImageTooLarge('PNG', width, height, maxPixels)
  return { width, height, depth, color, isInterlaced: interlace === 1 }
}

/** More image data than this past the picture is no slip of an encoder. */
const SPARE_BYTES = 1 << 20

/** The filtered rows; `rawBytes` of them are needed, a little more is ignored. */
export function inflateRows(packed: Uint8Array, rawBytes: number): Uint8Array {
  let raw: Uint8Array
  try {
    raw = inflateSync(packed, {
      maxOutputLength: rawBytes + SPARE_BYTES,
      // One output buffer of the right size; the default of 16 KiB costs more than a small image takes to inflate.
      chunkSize: Math.min(Math.max(rawBytes + 64, 64), SPARE_BYTES),
    })
  } catch (error) {
    throw damaged(`its image data cannot be inflated: ${(error as Error).message}`).with({ cause: error })
  }
  if (raw.length < rawBytes) throw damaged(`its image data hold ${raw.length} bytes, the size needs ${rawBytes}`)
  return raw
}
