import type { Tensor } from '@stoker/formats'
import type { ResizeMethod } from '@stoker/spec'
import { resizeBilinear } from '../../resize.js'
import { pictureOf } from '../pixels.js'
import { resizeArea } from './area.js'
import { resizeBicubic } from './bicubic.js'
import { resizeNearest } from './nearest.js'
import { resizeSampled } from './sampled.js'

export interface ResizeOptions {
  readonly method?: ResizeMethod
  /** Low-pass filter when shrinking; nearest and area take no notice, as in TensorFlow. */
  readonly antialias?: boolean
  /** The largest size inside the asked one with the sides' ratio kept. */
  readonly preserveAspectRatio?: boolean
}

type Size = readonly [height: number, width: number]

/** As `tf.image.resize`: float32 out, for nearest the type of the image. */
export function resizeImage(image: Tensor, size: Size, options: ResizeOptions = {}): Tensor {
  const { method = 'bilinear', antialias = false, preserveAspectRatio = false } = options
  const target = preserveAspectRatio ? fitted(image, size) : size
  if (method === 'nearest') return resizeNearest(image, target)
  if (method === 'area') return resizeArea(image, target)
  if (method === 'bilinear')
    return antialias ? resizeSampled(image, target, 'triangle', true) : resizeBilinear(image, target)
  if (method === 'bicubic')
    return antialias ? resizeSampled(image, target, 'keyscubic', true) : resizeBicubic(image, target)
  return resizeSampled(image, target, method, antialias)
}

const { fround } = Math

/** The size that TensorFlow derives in float32, sides rounded half to even. */
export function fitted(image: Tensor, [height, width]: Size): Size {
  const picture = pictureOf(image, 'resize')
  const scale = Math.min(fround(height / picture.height), fround(width / picture.width))
  return [roundHalfEven(fround(scale * picture.height)), roundHalfEven(fround(scale * picture.width))]
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor
}
