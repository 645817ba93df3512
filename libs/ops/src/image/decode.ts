import type { Tensor } from '@stoker/formats'
import { ImageUnknown } from '../error-table.js'
import { decodeJpegBytes } from './jpeg.js'
import { decodePngBytes } from './png/decode.js'
import { imageKindOf } from './sniff.js'

/** 0 takes what the image has. */
export type ChannelsAsked = 0 | 1 | 3 | 4

export interface DecodeImageOptions {
  readonly channels?: ChannelsAsked
  /** Most pixels (height x width) that are decoded. */
  readonly maxPixels?: number
}

/** 16,384 x 16,384: 805 MB as RGB, past any camera. */
export const MAX_PIXELS = 2 ** 28

/**
 * A JPEG or PNG image as uint8[height, width, channels]. The first bytes decide which one it is. Answers at once but for
 * JPEG of kinds that libjpeg-turbo's binding does not convert (CMYK).
 *
 * @throws StokerError STK_IMAGE_CORRUPT, _UNKNOWN, _UNSUPPORTED, _TOO_LARGE
 */
export function decodeImage(bytes: Uint8Array, options: DecodeImageOptions = {}): Tensor | Promise<Tensor> {
  const { channels = 0, maxPixels = MAX_PIXELS } = options
  const kind = imageKindOf(bytes)
  if (kind === 'JPEG') return decodeJpegBytes(bytes, channels, maxPixels)
  if (kind === 'PNG') return decodePngBytes(bytes, channels, maxPixels)
  throw ImageUnknown(kind)
}
