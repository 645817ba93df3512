import type { Tensor } from '@stoker/formats'
import { DecoderMissing, ImageCorrupt, ImageTooLarge, ImageUnsupported } from '../error-table.js'
import type { ChannelsAsked } from './channels.js'

/**
 * A WebP (of an animation the first frame) as uint8[height, width, 3], or 4 channels with alpha, equal to
 * `tf.io.decode_image` with expand_animations=False. As there, other channels than the image has are refused.
 * `sharp` decodes it, with libwebp as TensorFlow does.
 */
export async function decodeWebpBytes(bytes: Uint8Array, channels: ChannelsAsked, maxPixels: number): Promise<Tensor> {
  if (channels === 1) throw ImageUnsupported('WebP', 'WebP has no grey form; decode 3 channels, then rgbToGrayscale')
  const size = webpSize(bytes)
  if (!size) throw ImageCorrupt('WebP', 'it has no image header')
  const { width, height } = size
  if (width * height > maxPixels) throw ImageTooLarge('WebP', width, height, maxPixels)
  const sharp = await loadSharp()
  const { data, info } = await sharp(bytes, { failOn: 'error', limitInputPixels: false })
    // The pixels as stored, not brought from the profile of the file to sRGB.
    .keepIccProfile()
    .raw()
    .toBuffer({ resolveWithObject: true })
    .catch((error: Error) => {
      throw ImageCorrupt('WebP', error.message).with({ cause: error })
    })
  if (channels !== 0 && channels !== info.channels) {
    throw ImageUnsupported('WebP', `it has ${info.channels} channels, not ${channels}; ask for 0 to take what it has`)
  }
  return { dtype: 'uint8', shape: [info.height, info.width, info.channels], data: new Uint8Array(data) }
}

/** Sides from the first chunk's header. Source: RFC 9649, sections 2.5 to 2.7. */
function webpSize(bytes: Uint8Array): { readonly width: number; readonly height: number } | undefined {
  if (bytes.length < 30) return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const chunk = String.fromCharCode(...bytes.subarray(12, 16))
  if (chunk === 'VP8 ') return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (chunk === 'VP8L') {
    const bits = view.getUint32(21, true)
    return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 }
  }
  if (chunk !== 'VP8X') return undefined
  const threeBytes = (at: number) => (view.getUint32(at - 1, true) >>> 8) + 1
  return { width: threeBytes(24), height: threeBytes(27) }
}

/** Loaded by the first WebP image: libvips takes tens of milliseconds and megabytes to start. */
async function loadSharp() {
  try {
    return (await import('sharp')).default
  } catch (error) {
    throw DecoderMissing('sharp', (error as Error).message).with({ cause: error })
  }
}
