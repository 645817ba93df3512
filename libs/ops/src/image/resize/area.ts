import type { Tensor } from '@stoker/formats'
import { floatsOf, pictureOf } from '../pixels.js'

const { fround } = Math

/** For each output position: the first input position under it, how many there are, and the shares of the outermost two. */
interface Cover {
  readonly first: Int32Array
  readonly count: Int32Array
  readonly firstShare: Float32Array
  readonly lastShare: Float32Array
}

/**
 * As `tf.image.resize(method='area')`: the mean of the input pixels under each output pixel, float32, float32 arithmetic in
 * the same order. Source: tensorflow/core/kernels/image/resize_area_op.cc.
 */
export function resizeArea(image: Tensor, [height, width]: readonly [number, number]): Tensor {
  const picture = pictureOf(image, 'resize')
  const { channels } = picture
  const source = floatsOf(picture)
  const rows = coverOf(picture.height, height)
  const columns = coverOf(picture.width, width)
  const scale = fround(1 / fround(fround(picture.height / height) * fround(picture.width / width)))
  const rowLength = width * channels
  const line = new Float32Array(rowLength)
  const out = new Float32Array(height * rowLength)
  for (let y = 0; y < height; y++) {
    const sums = out.subarray(y * rowLength, (y + 1) * rowLength)
    const count = rows.count[y] as number
    for (let i = 0; i < count; i++) {
      const row = Math.min((rows.first[y] as number) + i, picture.height - 1)
      sumAcross(source, row * picture.width, picture.width, channels, columns, line)
      const share = shareOf(rows, y, i)
      for (let at = 0; at < rowLength; at++) sums[at] = (sums[at] as number) + fround((line[at] as number) * share)
    }
    for (let at = 0; at < rowLength; at++) sums[at] = (sums[at] as number) * scale
  }
  return { dtype: 'float32', shape: [height, width, channels], data: out }
}

/** Sums of one input row under each output position. */
function sumAcross(
  source: Uint8Array | Float32Array,
  start: number,
  width: number,
  channels: number,
  columns: Cover,
  line: Float32Array,
): void {
  const { first, count, firstShare, lastShare } = columns
  for (let x = 0, to = 0; x < first.length; x++) {
    const from = (start + (first[x] as number)) * channels
    const beyond = (start + width) * channels
    const inner = (count[x] as number) - 1
    const end = Math.min(from + inner * channels, beyond - channels)
    for (let c = 0; c < channels; c++) {
      let sum = fround((source[from + c] as number) * (firstShare[x] as number))
      if (inner > 0) {
        // A position past the edge, where rounding makes one, reads the last pixel again.
        for (let i = 1; i < inner; i++) sum = fround(sum + (source[Math.min(from + i * channels, end) + c] as number))
        sum = fround(sum + fround((source[end + c] as number) * (lastShare[x] as number)))
      }
      line[to++] = sum
    }
  }
}

function shareOf({ count, firstShare, lastShare }: Cover, at: number, i: number): number {
  if (i === 0) return firstShare[at] as number
  return i === (count[at] as number) - 1 ? (lastShare[at] as number) : 1
}

function coverOf(inSize: number, outSize: number): Cover {
  const scale = fround(inSize / outSize)
  const cover = {
    first: new Int32Array(outSize),
    count: new Int32Array(outSize),
    firstShare: new Float32Array(outSize),
    lastShare: new Float32Array(outSize),
  }
  for (let at = 0; at < outSize; at++) {
    const start = fround(at * scale)
    const end = fround((at + 1) * scale)
    const first = Math.floor(start)
    const last = Math.ceil(end) - 1
    const share = (position: number): number => {
      if (position < start) return position + 1 > end ? scale : position + 1 - start
      return position + 1 > end ? end - position : 1
    }
    cover.first[at] = Math.min(first, inSize - 1)
    cover.count[at] = last - first + 1
    cover.firstShare[at] = share(first)
    cover.lastShare[at] = share(last)
  }
  return cover
}
