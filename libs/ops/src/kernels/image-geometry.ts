import { paddingsOf } from '@stoker/spec'
import { centralCrop as centrallyCropped, crop as cropped } from '../image/crop.js'
import * as geometry from '../image/geometry.js'
import { pad as padded } from '../image/pad.js'
import { resizeWithCropOrPad as croppedOrPadded, resizeWithPad as resizedWithPad } from '../image/resize/with-pad.js'
import type { KernelOf } from '../kernel.js'
import { imageOp } from './image-op.js'

export const flipLeftRight: KernelOf<'flipLeftRight'> = ({ field }) =>
  imageOp('flipLeftRight', field, geometry.flipLeftRight)

export const flipUpDown: KernelOf<'flipUpDown'> = ({ field }) => imageOp('flipUpDown', field, geometry.flipUpDown)

export const transpose: KernelOf<'transpose'> = ({ field }) => imageOp('transpose', field, geometry.transpose)

export const rot90: KernelOf<'rot90'> = ({ field, k }) => imageOp('rot90', field, (image) => geometry.rot90(image, k))

export const crop: KernelOf<'crop'> = ({ field, offset, size }) => {
  const [top = 0, left = 0] = offset
  const [height = 1, width = 1] = size
  return imageOp('crop', field, (image) => cropped(image, { offset: [top, left], size: [height, width] }))
}

export const centralCrop: KernelOf<'centralCrop'> = ({ field, fraction }) =>
  imageOp('centralCrop', field, (image) => centrallyCropped(image, fraction))

export const pad: KernelOf<'pad'> = (params) => {
  const { field, mode = 'constant', value = 0 } = params
  const paddings = paddingsOf(params)
  return imageOp('pad', field, (tensor) => padded(tensor, { paddings, mode, value }))
}

export const resizeWithPad: KernelOf<'resizeWithPad'> = ({ field, size, method = 'bilinear', antialias = false }) => {
  const [height = 1, width = 1] = size
  return imageOp('resizeWithPad', field, (image) => resizedWithPad(image, [height, width], { method, antialias }))
}

export const resizeWithCropOrPad: KernelOf<'resizeWithCropOrPad'> = ({ field, size }) => {
  const [height = 1, width = 1] = size
  return imageOp('resizeWithCropOrPad', field, (image) => croppedOrPadded(image, [height, width]))
}
