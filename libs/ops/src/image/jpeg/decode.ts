import { createRequire } from 'node:module'
import type * as Turbo from '@julusian/jpeg-turbo'
import type { Tensor } from '@stoker/formats'
import { DecoderMissing, ImageCorrupt, ImageTooLarge, ImageUnsupported } from '../../error-table.js'
import type { ChannelsAsked } from '../channels.js'
import { decodeCmyk } from './cmyk.js'
import { hasEnd, type JpegHeader, jpegHeader, tidyHeader } from './markers.js'

/**
 * Decodes a JPEG, equal in every bit to `tf.io.decode_jpeg` with its defaults: libjpeg-turbo with the fast integer
 * inverse DCT and fancy upsampling. EXIF orientation is ignored, as TensorFlow does.
 */
export function decodeJpegBytes(bytes: Uint8Array, channels: ChannelsAsked, maxPixels: number): Tensor {
  const header = jpegHeader(bytes)
  if (!header || header.width === 0 || header.height === 0) throw ImageCorrupt('JPEG', 'it has no frame header')
  const { width, height } = header
  if (width * height > maxPixels) throw ImageTooLarge('JPEG', width, height, maxPixels)
  if (channels === 4) throw ImageUnsupported('JPEG', 'JPEG has no alpha, so 4 channels cannot be had')
  if (header.components === 4) return decodeCmyk(bytes, header, channels, decodeTurbo)
  const wanted = channels || (header.components === 1 ? 1 : 3)
  return { dtype: 'uint8', shape: [height, width, wanted], data: decodeTurbo(bytes, header, wanted) }
}

function decodeTurbo(bytes: Uint8Array, { width, height }: JpegHeader, channels: 1 | 3): Uint8Array {
  const pixels = Buffer.allocUnsafeSlow(width * height * channels)
  const failure = decompress(bytes, pixels, channels)
  if (failure) recover(bytes, pixels, channels, failure)
  return new Uint8Array(pixels.buffer)
}

/**
 * The binding throws alike for errors and for warnings (stray bytes, a damaged Huffman code), after which libjpeg goes on
 * and TensorFlow takes the picture. What tells them apart: after a warning every pixel has been written. So the image is
 * decoded twice more over different backgrounds; only damaged images pay for it.
 */
function recover(bytes: Uint8Array, pixels: Buffer, channels: 1 | 3, failure: Error): void {
  if (!hasEnd(bytes)) throw ImageCorrupt('JPEG', 'it ends before its end marker').with({ cause: failure })
  // The binding reads the header first and gives up there for a mere warning: such causes are taken out beforehand.
  const tidied = tidyHeader(bytes)
  const other = Buffer.alloc(pixels.length, 255)
  pixels.fill(0)
  decompress(tidied, pixels, channels)
  decompress(tidied, other, channels)
  if (pixels.equals(other)) return
  const reason = failure.message === 'No error' ? 'libjpeg stops before the last row' : failure.message
  throw ImageCorrupt('JPEG', reason).with({ cause: failure })
}

function decompress(bytes: Uint8Array, pixels: Buffer, channels: 1 | 3): Error | undefined {
  const { decompressSync, FORMAT_GRAY, FORMAT_RGB } = loadTurbo()
  try {
    decompressSync(asBuffer(bytes), pixels, { format: channels === 1 ? FORMAT_GRAY : FORMAT_RGB })
    return undefined
  } catch (error) {
    return error as Error
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

let turbo: typeof Turbo | undefined
/** Loaded by the first JPEG, so that a job without JPEG starts without native code. */
function loadTurbo(): typeof Turbo {
  try {
    turbo ??= createRequire(import.meta.url)('@julusian/jpeg-turbo') as typeof Turbo
    return turbo
  } catch (error) {
    throw DecoderMissing('@julusian/jpeg-turbo', (error as Error).message).with({ cause: error })
  }
}
