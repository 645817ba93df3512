import { createRequire } from 'node:module'
import type * as Turbo from '@julusian/jpeg-turbo'
import type { Tensor } from '@stoker/formats'
import { DecoderMissing, ImageCorrupt, ImageTooLarge, ImageUnsupported } from '../error-table.js'
import { decodeCmyk } from './cmyk.js'
import type { ChannelsAsked } from './decode.js'
import { hasEnd, type JpegHeader, jpegHeader } from './jpeg-markers.js'

/**
 * Decodes a JPEG, equal in every bit to `tf.io.decode_jpeg` with its defaults: libjpeg-turbo with the fast integer
 * inverse DCT and fancy upsampling. EXIF orientation is ignored, as TensorFlow does.
 */
export function decodeJpegBytes(
  bytes: Uint8Array,
  channels: ChannelsAsked,
  maxPixels: number,
): Tensor | Promise<Tensor> {
  const header = jpegHeader(bytes)
  if (!header || header.width === 0 || header.height === 0) throw ImageCorrupt('JPEG', 'it has no frame header')
  const { width, height } = header
  if (width * height > maxPixels) throw ImageTooLarge('JPEG', width, height, maxPixels)
  if (channels === 4) throw ImageUnsupported('JPEG', 'JPEG has no alpha, so 4 channels cannot be had')
  if (header.components === 4) return decodeCmyk(bytes, header, channels)
  return decodeTurbo(bytes, header, channels || (header.components === 1 ? 1 : 3))
}

function decodeTurbo(bytes: Uint8Array, { width, height }: JpegHeader, channels: 1 | 3): Tensor {
  const { decompressSync, FORMAT_GRAY, FORMAT_RGB } = loadTurbo()
  const pixels = Buffer.alloc(width * height * channels)
  try {
    decompressSync(asBuffer(bytes), pixels, { format: channels === 1 ? FORMAT_GRAY : FORMAT_RGB })
  } catch (error) {
    const reason = (error as Error).message
    // The binding throws for warnings too, with all pixels in place.
    if (!isWarning(reason) || !hasEnd(bytes)) {
      throw ImageCorrupt('JPEG', hasEnd(bytes) ? reason : 'it ends before its end marker').with({ cause: error })
    }
  }
  const data = new Uint8Array(pixels.buffer, pixels.byteOffset, pixels.length)
  return { dtype: 'uint8', shape: [height, width, channels], data }
}

/** Texts of libjpeg's warnings (JWRN_* of jerror.h): the decoder goes on after them, and so does TensorFlow. */
const isWarning = (text: string): boolean =>
  /^(Corrupt JPEG data: |Warning: |Premature end of JPEG|Inconsistent progression|Unknown Adobe color|Invalid SOS parameters for sequential)/.test(
    text,
  )

export const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

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
