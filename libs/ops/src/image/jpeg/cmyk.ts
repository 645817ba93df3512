import type { Tensor } from '@stoker/formats'
import { ImageUnsupported } from '../../error-table.js'
import type { ChannelsAsked } from '../channels.js'
import type { JpegHeader } from './markers.js'
import { pickComponents } from './pick-components.js'

/** Decodes a JPEG of one or three components to height * width * channels samples. */
export type DecodeSamples = (bytes: Uint8Array, header: JpegHeader, channels: 1 | 3) => Uint8Array

/** Identifiers from which libjpeg takes three components as RGB, or as YCbCr, where no other segment says it. */
const AS_RGB = [82, 71, 66]
const AS_YCBCR = [1, 2, 3]

/**
 * A JPEG of four components (CMYK or YCCK) as `tf.io.decode_jpeg` gives it, to the bit: 3 channels. libjpeg-turbo's binding
 * offers no four-component output, so the file is cut, undecoded, into one of the first three components and one whose first
 * component is the fourth; both are decoded as usual.
 *
 * @throws StokerError STK_IMAGE_CORRUPT, also for damage that libjpeg would put up with; STK_IMAGE_UNSUPPORTED
 */
export function decodeCmyk(
  bytes: Uint8Array,
  header: JpegHeader,
  channels: ChannelsAsked,
  decode: DecodeSamples,
): Tensor {
  if (channels === 1) throw ImageUnsupported('JPEG', 'it is CMYK, which has no conversion to one channel')
  const isYcck = header.hasAdobe && header.adobeTransform !== 0
  const inks = decode(pickComponents(bytes, [0, 1, 2], isYcck ? AS_YCBCR : AS_RGB), header, 3)
  const black = decode(pickComponents(bytes, [3, 1, 2], AS_YCBCR), header, 1)
  // libjpeg takes YCCK as the negative of YCbCr.
  const data = inksToRgb(inks, black, isYcck ? 255 : 0, header.hasAdobe ? 0 : 255)
  return { dtype: 'uint8', shape: [header.height, header.width, 3], data }
}

/** TensorFlow's conversion (tensorflow/core/lib/jpeg/jpeg_mem.cc): with an Adobe segment inks are stored inverted. */
function inksToRgb(inks: Uint8Array, black: Uint8Array, inksFlip: number, flip: number): Uint8Array {
  const rgb = new Uint8Array(inks.length)
  for (let pixel = 0, at = 0; pixel < black.length; pixel++) {
    const light = (black[pixel] as number) ^ flip
    for (let c = 0; c < 3; c++, at++) rgb[at] = (light * ((inks[at] as number) ^ inksFlip ^ flip)) / 255
  }
  return rgb
}
