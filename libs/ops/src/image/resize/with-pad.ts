import type { Tensor } from '@stoker/formats'
import type { ResizeMethod } from '@stoker/spec'
import { crop } from '../crop.js'
import { pad } from '../pad.js'
import { pictureOf } from '../pixels.js'
import { resizeImage } from './index.js'

const { floor, fround, max, min } = Math
type Size = readonly [height: number, width: number]

/**
 * As `tf.image.resize_with_pad`: the sides' ratio is kept, what is left over becomes zeros on both sides (one more at the
 * bottom or right where it is odd).
 */
export function resizeWithPad(
  image: Tensor,
  size: Size,
  options: { readonly method?: ResizeMethod; readonly antialias?: boolean } = {},
): Tensor {
  const picture = pictureOf(image, 'resizeWithPad')
  const [height, width] = size
  const ratio = max(fround(picture.width / width), fround(picture.height / height))
  const fit = [fround(picture.height / ratio), fround(picture.width / ratio)] as const
  const resized = resizeImage(image, [floor(fit[0]), floor(fit[1])], options)
  const top = max(0, floor(fround(fround(height - fit[0]) / 2)))
  const left = max(0, floor(fround(fround(width - fit[1]) / 2)))
  return placed(resized, [top, left], size)
}

/** As `tf.image.resize_with_crop_or_pad`: centred; cut where too large, zeros around where too small, in the same type. */
export function resizeWithCropOrPad(image: Tensor, size: Size): Tensor {
  const { height, width } = pictureOf(image, 'resizeWithCropOrPad')
  const [rows, columns] = size
  const offset = [max(floor((height - rows) / 2), 0), max(floor((width - columns) / 2), 0)] as const
  const cut = crop(image, { offset, size: [min(rows, height), min(columns, width)] })
  return placed(cut, [max(floor((rows - height) / 2), 0), max(floor((columns - width) / 2), 0)], size)
}

/** The image at an offset in a larger one of zeros. */
function placed(image: Tensor, [top, left]: Size, [height, width]: Size): Tensor {
  const picture = pictureOf(image, 'resizeWithPad')
  const paddings = [
    [top, height - top - picture.height],
    [left, width - left - picture.width],
    [0, 0],
  ] as const
  return pad(image, { paddings })
}
