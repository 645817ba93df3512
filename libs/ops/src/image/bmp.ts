import type { Tensor } from '@stoker/formats'
import { ImageCorrupt, ImageTooLarge, ImageUnsupported } from '../error-table.js'
import type { ChannelsAsked } from './channels.js'

/** Bytes up to the bits a pixel, all that TensorFlow reads of the headers. */
const HEADER_BYTES = 32

/**
 * Decodes a BMP as `tf.io.decode_bmp`: uncompressed, 8 bits (taken as grey, whatever the palette), 24 or 32 bits a pixel,
 * bottom-up or top-down; the length must be the headers' and the rows', to the byte.
 * Source: tensorflow/core/kernels/image/decode_image_op.cc.
 */
export function decodeBmpBytes(bytes: Uint8Array, channels: ChannelsAsked, maxPixels: number): Tensor {
  if (bytes.length < HEADER_BYTES) throw ImageCorrupt('BMP', `it has ${bytes.length} bytes, its header needs 32`)
  if (channels === 1) throw ImageUnsupported('BMP', 'BMP is not turned into one channel; decode 3, then rgbToGrayscale')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const start = view.getInt32(10, true)
  const width = view.getInt32(18, true)
  const signedHeight = view.getInt32(22, true)
  const height = Math.abs(signedHeight)
  const bits = view.getInt16(28, true)
  const stored = Math.trunc(bits / 8)
  if (width <= 0 || height === 0 || start < 0) throw ImageCorrupt('BMP', `its size is ${width} x ${height}`)
  if (stored !== 1 && stored !== 3 && stored !== 4) {
    throw ImageUnsupported('BMP', `it has ${bits} bits a pixel; 8, 24 and 32 are read`)
  }
  if (width * height > maxPixels) throw ImageTooLarge('BMP', width, height, maxPixels)
  const rowBytes = Math.ceil((stored * width) / 4) * 4
  const needed = start + rowBytes * height
  if (bytes.length !== needed) throw ImageCorrupt('BMP', `it has ${bytes.length} bytes, its header asks for ${needed}`)
  const wanted = channels || stored
  const data = new Uint8Array(height * width * wanted)
  for (let y = 0; y < height; y++) {
    const row = signedHeight < 0 ? y : height - 1 - y
    copyRow(bytes, start + row * rowBytes, stored, data, y * width * wanted, wanted, width)
  }
  return { dtype: 'uint8', shape: [height, width, wanted], data }
}

/** One row of grey, BGR or BGRA to grey, RGB or RGBA; alpha that is not stored is opaque. */
function copyRow(
  bytes: Uint8Array,
  from: number,
  stored: number,
  out: Uint8Array,
  to: number,
  wanted: number,
  width: number,
): void {
  const [red, green, blue] = stored === 1 ? [0, 0, 0] : [2, 1, 0]
  for (let x = 0; x < width; x++) {
    const pixel = from + x * stored
    const at = to + x * wanted
    out[at] = bytes[pixel + red] as number
    if (wanted === 1) continue
    out[at + 1] = bytes[pixel + green] as number
    out[at + 2] = bytes[pixel + blue] as number
    if (wanted === 4) out[at + 3] = stored === 4 ? (bytes[pixel + 3] as number) : 255
  }
}
