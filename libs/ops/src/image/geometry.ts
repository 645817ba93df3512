import type { Tensor } from '@stoker/formats'
import { copyInto, type Picture, pictureOf, rearranged, zeros } from './pixels.js'

/** As `tf.image.flip_left_right`, any element type. */
export function flipLeftRight(image: Tensor): Tensor {
  const picture = pictureOf(image, 'flipLeftRight')
  const { height, width } = picture
  return rearranged(picture, height, width, (y, x) => y * width + width - 1 - x)
}

/** As `tf.image.flip_up_down`, any element type. */
export function flipUpDown(image: Tensor): Tensor {
  const { dtype, data, height, width, channels } = pictureOf(image, 'flipUpDown')
  const row = width * channels
  const out = zeros(dtype, height * row)
  for (let y = 0; y < height; y++) copyInto(out, (height - 1 - y) * row, data, y * row, (y + 1) * row)
  return { dtype, shape: image.shape, data: out }
}

/** As `tf.image.transpose`: [height, width, channels] to [width, height, channels]. */
export function transpose(image: Tensor): Tensor {
  const picture = pictureOf(image, 'transpose')
  const { height, width } = picture
  return rearranged(picture, width, height, (y, x) => x * width + y)
}

/** As `tf.image.rot90`: `k` quarter turns counter-clockwise, negative ones clockwise. */
export function rot90(image: Tensor, k = 1): Tensor {
  const picture = pictureOf(image, 'rot90')
  return turned(picture, ((k % 4) + 4) % 4)
}

function turned(picture: Picture, turns: number): Tensor {
  const { height, width, dtype, data, channels } = picture
  if (turns === 1) return rearranged(picture, width, height, (y, x) => x * width + width - 1 - y)
  if (turns === 2) return rearranged(picture, height, width, (y, x) => (height - 1 - y) * width + width - 1 - x)
  if (turns === 3) return rearranged(picture, width, height, (y, x) => (height - 1 - x) * width + y)
  return { dtype, shape: [height, width, channels], data }
}

/**
 * The picture as a camera's EXIF orientation wants it shown: 1 as stored, 2 mirrored, 3 half a turn, 4 flipped, 5 transposed,
 * 6 a quarter turn clockwise, 7 transposed and half a turn, 8 a quarter turn counter-clockwise. Source: CIPA DC-008, 0x0112.
 */
export function applyOrientation(image: Tensor, orientation: number): Tensor {
  if (orientation === 2) return flipLeftRight(image)
  if (orientation === 3) return rot90(image, 2)
  if (orientation === 4) return flipUpDown(image)
  if (orientation === 5) return transpose(image)
  if (orientation === 6) return rot90(image, 3)
  if (orientation === 7) return rot90(transpose(image), 2)
  if (orientation === 8) return rot90(image, 1)
  return image
}
