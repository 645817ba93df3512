import type { RecordFields, Tensor } from '@stoker/formats'
import { RecordShape } from '../error-table.js'
import { tensorOf, withField } from '../fields.js'
import { crop } from '../image/crop.js'
import { flipLeftRight, flipUpDown, rot90 } from '../image/geometry.js'
import { pictureOf } from '../image/pixels.js'
import type { Kernel, KernelOf } from '../kernel.js'
import { drawCropBox } from '../random/crop-box.js'
import { type Draws, drawsOf } from '../random/draws.js'
import { resizeBilinear } from '../resize.js'

/** A kernel that changes one image by what it draws. */
export const randomImage =
  (op: string, { field, seed }: { field: string; seed?: number }, change: (image: Tensor, draws: Draws) => Tensor) =>
  (record: RecordFields, { key }: { readonly key: number }): RecordFields =>
    withField(record, field, change(tensorOf(record, op, field), drawsOf(key, seed)))

export const randomFlipLeftRight: KernelOf<'randomFlipLeftRight'> = (params) =>
  randomImage('randomFlipLeftRight', params, (image, draws) => (draws.uniform() < 0.5 ? flipLeftRight(image) : image))

export const randomFlipUpDown: KernelOf<'randomFlipUpDown'> = (params) =>
  randomImage('randomFlipUpDown', params, (image, draws) => (draws.uniform() < 0.5 ? flipUpDown(image) : image))

export const randomRotation90: KernelOf<'randomRotation90'> = (params) =>
  randomImage('randomRotation90', params, (image, draws) => rot90(image, draws.below(4)))

export const randomCrop: KernelOf<'randomCrop'> = (params) => {
  const [rows = 1, columns = 1] = params.size
  return randomImage('randomCrop', params, (image, draws) => {
    const { height, width } = pictureOf(image, 'randomCrop')
    if (height < rows || width < columns) {
      throw RecordShape('randomCrop', `the image is ${height} x ${width}, smaller than ${rows} x ${columns}`).with({
        remedy: 'pad or resize the image before it, or crop less',
      })
    }
    const offset = [draws.below(height - rows + 1), draws.below(width - columns + 1)] as const
    return crop(image, { offset, size: [rows, columns] })
  })
}

type Resized = Parameters<KernelOf<'randomResizedCrop'>>[0] & { readonly out?: 'float32' | 'uint8' }

export const randomResizedCrop: Kernel<Resized> = ({ size, scale, ratio, out = 'float32', ...params }) => {
  const [height = 1, width = 1] = size
  const [leastScale = 0.08, mostScale = 1] = scale ?? []
  const [leastRatio = 3 / 4, mostRatio = 4 / 3] = ratio ?? []
  return randomImage('randomResizedCrop', params, (image, draws) => {
    const picture = pictureOf(image, 'randomResizedCrop')
    const sides = [picture.height, picture.width] as const
    const box = drawCropBox(sides, [leastScale, mostScale], [leastRatio, mostRatio], draws)
    return resizeBilinear(crop(image, box), [height, width], out)
  })
}
