import type { Tensor } from '@stoker/formats'
import { ImageOtherKind, ImageUnknown } from '../error-table.js'
import { decodeBmpBytes } from './bmp.js'
import type { ChannelsAsked } from './channels.js'
import { convertImageDtype } from './convert-dtype.js'
import { applyOrientation } from './geometry.js'
import { decodeGifBytes } from './gif/decode.js'
import { decodeJpegBytes } from './jpeg/decode.js'
import { jpegHeader } from './jpeg/markers.js'
import { decodePngBytes } from './png/decode.js'
import { type ImageKind, imageKindOf, looksLike } from './sniff.js'
import { decodeWebpBytes } from './webp.js'

export type DecodeOp = 'decodeImage' | 'decodeJpeg' | 'decodePng' | 'decodeBmp' | 'decodeGif' | 'decodeWebp'

export interface DecodeImageOptions {
  readonly channels?: ChannelsAsked
  /** float32 spans 0 to 1; uint16 of 8 bit kinds is value * 256, of 8 bit PNG value * 257, as in TensorFlow. */
  readonly dtype?: 'uint8' | 'uint16' | 'float32'
  /** Turn a JPEG as its EXIF orientation says. */
  readonly applyOrientation?: boolean
  /** Most pixels (height x width) that are decoded. */
  readonly maxPixels?: number
  /** Whose rules hold: which kinds are taken, and whether animations are. */
  readonly op?: DecodeOp
}

/** 16,384 x 16,384: 805 MB as RGB, past any camera. */
export const MAX_PIXELS = 2 ** 28

/**
 * A JPEG, PNG, GIF, BMP or WebP image as [height, width, channels]; of an animation the first frame. The first bytes decide
 * which one it is, and its size is read before memory for pixels is asked for. Answers at once but for WebP.
 *
 * As in TensorFlow, `decodeBmp` takes BMP only and BMP goes only there and to `decodeImage`; `decodeJpeg` and `decodePng` take
 * the other kinds, too, but no animated GIF.
 *
 * @throws StokerError STK_IMAGE_CORRUPT, _UNKNOWN, _OTHER_KIND, _UNSUPPORTED, _TOO_LARGE
 */
export function decodeImage(bytes: Uint8Array, options: DecodeImageOptions = {}): Tensor | Promise<Tensor> {
  const { dtype = 'uint8', op = 'decodeImage' } = options
  const kind = imageKindOf(bytes)
  if (!kind) throw ImageUnknown(looksLike(bytes))
  const isTaken = op === 'decodeImage' || (kind === 'BMP') === (op === 'decodeBmp')
  if (!isTaken) throw ImageOtherKind(op, kind)
  const image = decodeKind(kind, bytes, options)
  return image instanceof Promise ? image.then((value) => inType(value, dtype)) : inType(image, dtype)
}

function decodeKind(kind: ImageKind, bytes: Uint8Array, options: DecodeImageOptions): Tensor | Promise<Tensor> {
  const { channels = 0, maxPixels = MAX_PIXELS, dtype = 'uint8', op } = options
  if (kind === 'PNG') return decodePngBytes(bytes, channels, maxPixels, dtype === 'uint8' ? 8 : 16)
  if (kind === 'GIF') return decodeGifBytes(bytes, channels, maxPixels, op === 'decodeJpeg' || op === 'decodePng')
  if (kind === 'BMP') return decodeBmpBytes(bytes, channels, maxPixels)
  if (kind === 'WebP') return decodeWebpBytes(bytes, channels, maxPixels)
  const image = decodeJpegBytes(bytes, channels, maxPixels)
  return options.applyOrientation ? applyOrientation(image, jpegHeader(bytes)?.orientation ?? 1) : image
}

const inType = (image: Tensor, dtype: 'uint8' | 'uint16' | 'float32'): Tensor => convertImageDtype(image, dtype)
