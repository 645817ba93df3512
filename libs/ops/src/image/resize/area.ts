import type { Tensor } from '@stoker/formats'
import { floatsOf, pictureOf } from '../pixels.js'

const { fround } = Math

/** The input positions under one output position, and the share of each that lies under it. */
interface Span {
  readonly positions: Int32Array
  readonly shares: Float32Array
}

/**
 * As `tf.image.resize(method='area')`: the mean of the input pixels under each output pixel, float32, float32 arithmetic in
 * the same order. Source: tensorflow/core/kernels/image/resize_area_op.cc.
 */
export function resizeArea(image: Tensor, [height, width]: readonly [number, number]): Tensor {
  const picture = pictureOf(image, 'resize')
  const { channels } = picture
  const source = floatsOf(picture)
  const rows = spansOf(picture.height, height)
  const columns = spansOf(picture.width, width)
  const scale = fround(1 / fround(fround(picture.height / height) * fround(picture.width / width)))
  const out = new Float32Array(height * width * channels)
  let to = 0
  for (const row of rows) {
    for (const column of columns) {
      for (let c = 0; c < channels; c++) {
        let sum = 0
        for (let i = 0; i < row.positions.length; i++) {
          const start = (row.positions[i] as number) * picture.width
          let across = 0
          for (let j = 0; j < column.positions.length; j++) {
            const value = source[(start + (column.positions[j] as number)) * channels + c] as number
            across = fround(across + fround(value * (column.shares[j] as number)))
          }
          sum = fround(sum + fround(across * (row.shares[i] as number)))
        }
        out[to++] = fround(sum * scale)
      }
    }
  }
  return { dtype: 'float32', shape: [height, width, channels], data: out }
}

function spansOf(inSize: number, outSize: number): Span[] {
  const scale = fround(inSize / outSize)
  return Array.from({ length: outSize }, (_, at) => {
    const start = fround(at * scale)
    const end = fround((at + 1) * scale)
    const first = Math.floor(start)
    const count = Math.ceil(end) - first
    const positions = Int32Array.from({ length: count }, (_, i) => Math.min(first + i, inSize - 1))
    const shares = Float32Array.from({ length: count }, (_, i) => {
      const position = first + i
      if (position < start) return position + 1 > end ? scale : fround(position + 1 - start)
      return position + 1 > end ? fround(end - position) : 1
    })
    return { positions, shares }
  })
}
