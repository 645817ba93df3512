import type { Tensor } from '@stoker/formats'
import { DecoderMissing, ImageCorrupt, ImageUnsupported } from '../error-table.js'
import type { ChannelsAsked } from './decode.js'
import { hasEnd, type JpegHeader } from './jpeg-markers.js'

/**
 * A JPEG of four components (CMYK or YCCK). libjpeg-turbo's binding offers no four-component output, so `sharp` decodes
 * it; its inverse DCT is the accurate one, up to 5 levels away from the fast one that TensorFlow uses by default.
 */
export async function decodeCmyk(bytes: Uint8Array, header: JpegHeader, channels: ChannelsAsked): Promise<Tensor> {
  if (channels === 1) throw ImageUnsupported('JPEG', 'it is CMYK, which has no conversion to one channel')
  if (!hasEnd(bytes)) throw ImageCorrupt('JPEG', 'it ends before its end marker')
  const sharp = await loadSharp()
  const inks = await sharp(bytes, { failOn: 'error', limitInputPixels: false })
    .pipelineColourspace('cmyk')
    .toColourspace('cmyk')
    .raw()
    .toBuffer()
    .catch((error: Error) => {
      throw ImageCorrupt('JPEG', error.message).with({ cause: error })
    })
  const { width, height, hasAdobe } = header
  if (inks.length !== width * height * 4) throw ImageCorrupt('JPEG', `${inks.length} bytes of ink instead of 4 a pixel`)
  return { dtype: 'uint8', shape: [height, width, 3], data: inksToRgb(inks, hasAdobe) }
}

/**
 * TensorFlow's conversion (tensorflow/core/lib/jpeg/jpeg_mem.cc): inks are stored inverted where an Adobe segment is
 * seen. libvips inverts what is stored, so with the segment its inks are turned back.
 */
function inksToRgb(inks: Uint8Array, hasAdobe: boolean): Uint8Array {
  const flip = hasAdobe ? 255 : 0
  const rgb = new Uint8Array((inks.length / 4) * 3)
  for (let ink = 0, at = 0; ink < inks.length; ink += 4) {
    const light = (inks[ink + 3] ?? 0) ^ flip
    for (let c = 0; c < 3; c++) rgb[at++] = Math.floor((light * ((inks[ink + c] ?? 0) ^ flip)) / 255)
  }
  return rgb
}

/** Loaded by the first CMYK image: libvips takes tens of milliseconds and megabytes to start. */
async function loadSharp() {
  try {
    return (await import('sharp')).default
  } catch (error) {
    throw DecoderMissing('sharp', (error as Error).message).with({ cause: error })
  }
}
