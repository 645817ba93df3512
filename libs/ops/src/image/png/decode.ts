import type { Tensor } from '@stoker/formats'
import type { ChannelsAsked } from '../channels.js'
import { convert } from './convert.js'
import { CHANNELS, PALETTE, readPng } from './read.js'
import { readSamples } from './samples.js'

/**
 * Decodes a PNG as `tf.io.decode_png` does (libpng with the settings of tensorflow/core/lib/png/png_io.cc): as uint8, 16 bit
 * samples lose their low byte; as uint16 they are kept and 8 bit ones become value * 257. Grey below 8 bits is spread over
 * the range, gamma is left alone.
 *
 * Own code on Node's zlib rather than a package: `sharp` keeps 16 bit and palettes its own way and costs about 0.2 ms an
 * image, the packages in plain JavaScript differ from libpng in alpha, 16 bit and grey.
 */
export function decodePngBytes(bytes: Uint8Array, channels: ChannelsAsked, maxPixels: number, bits: 8 | 16): Tensor {
  const png = readPng(bytes, maxPixels)
  const wanted = channels || (png.color === PALETTE ? (png.transparency ? 4 : 3) : (CHANNELS[png.color] ?? 1))
  const data = convert(readSamples(png), png, wanted, bits)
  return { dtype: bits === 8 ? 'uint8' : 'uint16', shape: [png.height, png.width, wanted], data }
}
