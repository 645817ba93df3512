import { decodeBatch, type NamedTensor, typedView } from '@stoker/buffer'
import sharp from 'sharp'
import { NoImageField } from '../error-table.js'

const MOST_TILES = 64
// 64 photos of 224 pixels a side; more is left out, so that copying stays within some ten milliseconds.
const MOST_VALUES = 16_000_000
const SHEET_PIXELS = 1024
const SMALL_TILE_PIXELS = 64
const GAP = 1

interface Images {
  readonly tensor: NamedTensor
  readonly count: number
  readonly height: number
  readonly width: number
  readonly channels: 1 | 3 | 4
}

/**
 * The images of a batch side by side, as PNG: the first field of shape [n, height, width, 1, 3 or 4] or [n, height,
 * width]. Pixels that are no bytes are stretched between their least and their largest value.
 *
 * @throws NoImageField
 */
export async function contactSheet(bytes: Uint8Array): Promise<Uint8Array> {
  const { tensors } = decodeBatch(bytes)
  const images = tensors.map(asImages).find((found) => found !== undefined)
  if (!images) throw NoImageField(tensors.map(({ name, dtype, shape }) => `${name} ${dtype}[${shape}]`).join(', '))
  const { height, width, channels } = images
  const fitting = Math.max(1, Math.floor(MOST_VALUES / (height * width * channels)))
  const shown = Math.min(images.count, MOST_TILES, fitting)
  const columns = Math.ceil(Math.sqrt((shown * height) / width)) || 1
  const rows = Math.ceil(shown / columns)
  const sheet = {
    width: columns * (width + GAP) - GAP,
    height: rows * (height + GAP) - GAP,
    channels,
  }
  const pixels = new Uint8Array(sheet.width * sheet.height * channels)
  copyTiles(images, shown, columns, sheet.width, pixels)
  const scale = scaleOf(sheet.width, width)
  // Resizing and encoding run on sharp's own threads.
  const png = await sharp(pixels, { raw: sheet })
    .resize({ width: Math.max(1, Math.round(sheet.width * scale)), kernel: scale > 1 ? 'nearest' : 'lanczos3' })
    .png()
    .toBuffer()
  return png
}

/** Small images are enlarged by whole factors, wide sheets shrunk. */
function scaleOf(sheetWidth: number, tileWidth: number): number {
  if (sheetWidth > SHEET_PIXELS) return SHEET_PIXELS / sheetWidth
  const wanted = Math.floor(SMALL_TILE_PIXELS / tileWidth)
  return Math.max(1, Math.min(wanted, Math.floor(SHEET_PIXELS / sheetWidth)))
}

function asImages(tensor: NamedTensor): Images | undefined {
  const [count = 0, height = 0, width = 0, depth = 1] = tensor.shape
  const isImage = (tensor.shape.length === 4 || tensor.shape.length === 3) && count > 0 && height > 1 && width > 1
  if (!isImage || (depth !== 1 && depth !== 3 && depth !== 4)) return undefined
  return { tensor, count, height, width, channels: depth }
}

function copyTiles(
  { tensor, height, width, channels }: Images,
  shown: number,
  columns: number,
  sheetWidth: number,
  pixels: Uint8Array,
): void {
  const line = width * channels
  const tile = height * line
  const source = toBytes(tensor, shown * tile)
  for (let index = 0; index < shown; index++) {
    const left = (index % columns) * (width + GAP)
    const top = Math.floor(index / columns) * (height + GAP)
    for (let y = 0; y < height; y++) {
      const from = index * tile + y * line
      pixels.set(source.subarray(from, from + line), ((top + y) * sheetWidth + left) * channels)
    }
  }
}

function toBytes(tensor: NamedTensor, length: number): Uint8Array {
  if (tensor.dtype === 'uint8') return tensor.data.subarray(0, length)
  const values = typedView(tensor).subarray(0, length)
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (const value of values) {
    const number = Number(value)
    if (number < least) least = number
    if (number > most) most = number
  }
  const stretch = most > least ? 255 / (most - least) : 0
  return Uint8Array.from(values as Iterable<number | bigint>, (value) => (Number(value) - least) * stretch)
}
