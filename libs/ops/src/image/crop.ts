import type { Tensor } from '@stoker/formats'
import { centralPart } from '@stoker/spec'
import { CropOutside } from '../error-table.js'
import { copyInto, pictureOf, zeros } from './pixels.js'

/** The part of an image at [top, left] with [height, width], in pixels. As `tf.image.crop_to_bounding_box`. */
export interface CropBox {
  readonly offset: readonly [top: number, left: number]
  readonly size: readonly [height: number, width: number]
}

/** @throws StokerError STK_OPS_CROP where the box is not inside the image */
export function crop(image: Tensor, { offset: [top, left], size: [rows, columns] }: CropBox): Tensor {
  const { dtype, data, height, width, channels } = pictureOf(image, 'crop')
  if (top < 0 || left < 0 || rows < 1 || columns < 1 || top + rows > height || left + columns > width) {
    throw CropOutside(rows, columns, top, left, height, width)
  }
  const row = columns * channels
  const out = zeros(dtype, rows * row)
  for (let y = 0; y < rows; y++) {
    const from = ((top + y) * width + left) * channels
    copyInto(out, y * row, data, from, from + row)
  }
  return { dtype, shape: [rows, columns, channels], data: out }
}

/** As `tf.image.central_crop`: the middle `fraction` (above 0, at most 1) of both sides; what is cut is even. */
export function centralCrop(image: Tensor, fraction: number): Tensor {
  if (fraction === 1) return image
  const { height, width } = pictureOf(image, 'centralCrop')
  const rows = centralPart(height, fraction)
  const columns = centralPart(width, fraction)
  return crop(image, { offset: [rows.start, columns.start], size: [rows.length, columns.length] })
}
