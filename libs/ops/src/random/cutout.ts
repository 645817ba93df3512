import type { Tensor, TypedArray } from '@stoker/formats'
import { pictureOf } from '../image/pixels.js'

/** Part of an image: rows [top, bottom) and columns [left, right). */
export interface Rectangle {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/** The rectangle about a pixel, as far as it lies in the image; sizes are even. */
export function rectangleAbout(
  [row, column]: readonly [row: number, column: number],
  [rows, columns]: readonly [rows: number, columns: number],
  [height, width]: readonly [height: number, width: number],
): Rectangle {
  return {
    top: Math.max(0, row - rows / 2),
    bottom: Math.min(height, row + rows / 2),
    left: Math.max(0, column - columns / 2),
    right: Math.min(width, column + columns / 2),
  }
}

/** As `tfa.image.cutout`: the image with a rectangle filled. */
export function cutout(image: Tensor, { top, bottom, left, right }: Rectangle, value = 0): Tensor {
  const { dtype, data, width, channels } = pictureOf(image, 'cutout')
  const out = data.slice() as TypedArray
  for (let row = top; row < bottom; row++) {
    const start = (row * width + left) * channels
    const end = (row * width + right) * channels
    if (out instanceof BigInt64Array) out.fill(BigInt(value), start, end)
    else out.fill(value, start, end)
  }
  return { dtype, shape: image.shape, data: out }
}
