import type { Tensor } from '@stoker/formats'
import { pictureOf, rearranged } from '../pixels.js'

const { fround } = Math

/**
 * As `tf.image.resize(method='nearest')`: the pixel under each half-pixel centre, in the type of the image.
 * Source: tensorflow/core/kernels/image/resize_nearest_neighbor_op.cc.
 */
export function resizeNearest(image: Tensor, [height, width]: readonly [number, number]): Tensor {
  const picture = pictureOf(image, 'resize')
  const rows = nearestOf(picture.height, height)
  const columns = nearestOf(picture.width, width)
  return rearranged(picture, height, width, (y, x) => (rows[y] as number) * picture.width + (columns[x] as number))
}

function nearestOf(inSize: number, outSize: number): Int32Array {
  const scale = fround(inSize / outSize)
  return Int32Array.from({ length: outSize }, (_, at) => {
    const position = Math.floor(fround(fround(at + 0.5) * scale))
    return Math.max(0, Math.min(position, inSize - 1))
  })
}
