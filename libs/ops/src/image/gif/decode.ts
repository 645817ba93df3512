import type { Tensor } from '@stoker/formats'
import { ImageCorrupt, ImageTooLarge, ImageUnsupported } from '../../error-table.js'
import type { ChannelsAsked } from '../channels.js'
import { unpackLzw } from './lzw.js'
import { type GifFrame, readGif } from './read.js'

const damaged = (reason: string) => ImageCorrupt('GIF', reason)

/**
 * The first frame of a GIF as uint8[height, width, 3], equal to frame 0 of `tf.io.decode_gif` and to `tf.io.decode_image`
 * with expand_animations=False: the sides are those of the largest frame (not of the logical screen), what the first frame
 * leaves open and what is transparent is black. Source: tensorflow/core/lib/gif/gif_io.cc.
 *
 * @param onlyStill refuse an animation, as `tf.io.decode_jpeg` and `tf.io.decode_png` do
 */
export function decodeGifBytes(
  bytes: Uint8Array,
  channels: ChannelsAsked,
  maxPixels: number,
  onlyStill: boolean,
): Tensor {
  if (channels === 1 || channels === 4) throw ImageUnsupported('GIF', `GIF has 3 channels, not ${channels}`)
  const frames = readGif(bytes)
  if (onlyStill && frames.length > 1) {
    throw ImageUnsupported('GIF', `it has ${frames.length} frames; decodeImage and decodeGif take the first`)
  }
  const width = Math.max(...frames.map((frame) => frame.width))
  const height = Math.max(...frames.map((frame) => frame.height))
  if (width * height > maxPixels) throw ImageTooLarge('GIF', width, height, maxPixels)
  const [first] = frames
  const data = new Uint8Array(height * width * 3)
  paint(first, indexesOf(first), data, width, height)
  return { dtype: 'uint8', shape: [height, width, 3], data }
}

function indexesOf({ width, height, codeBits, packed }: GifFrame): Uint8Array {
  if (width === 0 || height === 0) throw damaged(`its first frame is ${width} x ${height}`)
  if (codeBits > 8) throw damaged(`its codes start with ${codeBits} bits`)
  const indexes = unpackLzw(packed, codeBits, width * height)
  if (indexes.length < width * height) throw damaged('the data of its first frame end too soon')
  return indexes
}

function paint(frame: GifFrame, indexes: Uint8Array, out: Uint8Array, width: number, height: number): void {
  const { palette, transparent } = frame
  if (!palette) throw damaged('its first frame has no palette')
  const rows = frame.isInterlaced ? interlacedRows(frame.height) : undefined
  const right = Math.min(frame.width, width - frame.left)
  for (let row = 0; row < frame.height; row++) {
    const y = (rows?.[row] ?? row) + frame.top
    if (y >= height) continue
    for (let x = 0; x < right; x++) {
      const index = indexes[row * frame.width + x] as number
      if (index === transparent) continue
      if (index * 3 >= palette.length) throw damaged(`a pixel has colour ${index} of ${palette.length / 3}`)
      const to = (y * width + frame.left + x) * 3
      out[to] = palette[index * 3] as number
      out[to + 1] = palette[index * 3 + 1] as number
      out[to + 2] = palette[index * 3 + 2] as number
    }
  }
}

/** Where each stored row of an interlaced frame goes. */
function interlacedRows(height: number): number[] {
  const passes = [
    [0, 8],
    [4, 8],
    [2, 4],
    [1, 2],
  ] as const
  return passes.flatMap(([start, step]) =>
    Array.from({ length: Math.max(0, Math.ceil((height - start) / step)) }, (_, i) => start + i * step),
  )
}
