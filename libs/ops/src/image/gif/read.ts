import { ImageCorrupt } from '../../error-table.js'

/** A frame as its descriptor says, its packed pixels not yet decoded. Source of everything here: the GIF89a specification. */
export interface GifFrame {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly isInterlaced: boolean
  /** Red, green, blue for each index. */
  readonly palette: Uint8Array | undefined
  /** Index that leaves the canvas as it is, or -1. */
  readonly transparent: number
  readonly codeBits: number
  /** Concatenated data blocks. */
  readonly packed: Uint8Array
}

const IMAGE = 0x2c
const EXTENSION = 0x21
const TRAILER = 0x3b
const GRAPHIC_CONTROL = 0xf9
const HEADER_BYTES = 13

const damaged = (reason: string) => ImageCorrupt('GIF', reason)

/** Thrown where a later frame is cut: what came before counts, as in TensorFlow. */
class CutShort extends Error {}

/**
 * The frames up to the trailer, or up to where the bytes end or stop making sense; at least one.
 *
 * @throws StokerError STK_IMAGE_CORRUPT where there is no whole frame
 */
export function readGif(bytes: Uint8Array): [first: GifFrame, ...rest: GifFrame[]] {
  if (bytes.length < HEADER_BYTES) throw damaged(`it has ${bytes.length} bytes, its header needs ${HEADER_BYTES}`)
  const frames: GifFrame[] = []
  const reader = new BlockReader(bytes, HEADER_BYTES)
  try {
    const shared = paletteOf(reader, bytes[10] as number)
    let transparent = -1
    for (let kind = reader.byte(); kind !== TRAILER; kind = reader.byte()) {
      if (kind === EXTENSION) transparent = readExtension(reader) ?? transparent
      else if (kind === IMAGE) {
        frames.push(readFrame(reader, shared, transparent))
        transparent = -1
      } else break
    }
  } catch (error) {
    if (!(error instanceof CutShort)) throw error
  }
  const [first, ...rest] = frames
  if (!first) throw damaged('it holds no whole frame')
  return [first, ...rest]
}

/** The transparent index that a graphic control extension sets; undefined for other extensions. */
function readExtension(reader: BlockReader): number | undefined {
  const label = reader.byte()
  const body = reader.blocks()
  if (label !== GRAPHIC_CONTROL || body.length !== 4) return undefined
  return (body[0] as number) & 1 ? (body[3] as number) : -1
}

function readFrame(reader: BlockReader, shared: Uint8Array | undefined, transparent: number): GifFrame {
  const [left, top, width, height] = [reader.short(), reader.short(), reader.short(), reader.short()]
  const flags = reader.byte()
  const palette = paletteOf(reader, flags) ?? shared
  const codeBits = reader.byte()
  const packed = reader.blocks()
  return { left, top, width, height, isInterlaced: (flags & 0x40) !== 0, palette, transparent, codeBits, packed }
}

function paletteOf(reader: BlockReader, flags: number): Uint8Array | undefined {
  return flags & 0x80 ? reader.take(3 << ((flags & 7) + 1)) : undefined
}

/** Bytes from a position on; past the end is CutShort. */
class BlockReader {
  constructor(
    private readonly bytes: Uint8Array,
    private at: number,
  ) {}

  byte(): number {
    return this.take(1)[0] as number
  }

  short(): number {
    const [low = 0, high = 0] = this.take(2)
    return low | (high << 8)
  }

  take(length: number): Uint8Array {
    const end = this.at + length
    if (end > this.bytes.length) throw new CutShort()
    const part = this.bytes.subarray(this.at, end)
    this.at = end
    return part
  }

  /** Data blocks up to the empty one, joined. */
  blocks(): Uint8Array {
    const parts: Uint8Array[] = []
    for (let length = this.byte(); length > 0; length = this.byte()) parts.push(this.take(length))
    const [only] = parts
    return parts.length === 1 && only ? only : Buffer.concat(parts)
  }
}
