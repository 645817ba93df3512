import * as adjust from '../image/adjust.js'
import * as color from '../image/color.js'
import { convertImageDtype as converted } from '../image/convert-dtype.js'
import { adjustHue as hueAdjusted } from '../image/hue.js'
import { adjustSaturation as saturationAdjusted } from '../image/saturation.js'
import { normalize as normalized, perImageStandardization as standardized } from '../image/standardize.js'
import type { KernelOf } from '../kernel.js'
import { imageOp } from './image-op.js'

export const rgbToGrayscale: KernelOf<'rgbToGrayscale'> = ({ field }) =>
  imageOp('rgbToGrayscale', field, color.rgbToGrayscale)

export const grayscaleToRgb: KernelOf<'grayscaleToRgb'> = ({ field }) =>
  imageOp('grayscaleToRgb', field, color.grayscaleToRgb)

export const rgbToHsv: KernelOf<'rgbToHsv'> = ({ field }) => imageOp('rgbToHsv', field, color.rgbToHsv)

export const hsvToRgb: KernelOf<'hsvToRgb'> = ({ field }) => imageOp('hsvToRgb', field, color.hsvToRgb)

export const adjustBrightness: KernelOf<'adjustBrightness'> = ({ field, delta }) =>
  imageOp('adjustBrightness', field, (image) => adjust.adjustBrightness(image, delta))

export const adjustContrast: KernelOf<'adjustContrast'> = ({ field, contrastFactor }) =>
  imageOp('adjustContrast', field, (image) => adjust.adjustContrast(image, contrastFactor))

export const adjustGamma: KernelOf<'adjustGamma'> = ({ field, gamma, gain }) =>
  imageOp('adjustGamma', field, (image) => adjust.adjustGamma(image, gamma, gain))

export const adjustHue: KernelOf<'adjustHue'> = ({ field, delta }) =>
  imageOp('adjustHue', field, (image) => hueAdjusted(image, delta))

export const adjustSaturation: KernelOf<'adjustSaturation'> = ({ field, saturationFactor }) =>
  imageOp('adjustSaturation', field, (image) => saturationAdjusted(image, saturationFactor))

export const convertImageDtype: KernelOf<'convertImageDtype'> = ({ field, dtype, saturate }) =>
  imageOp('convertImageDtype', field, (image) => converted(image, dtype, saturate))

export const perImageStandardization: KernelOf<'perImageStandardization'> = ({ field }) =>
  imageOp('perImageStandardization', field, standardized)

export const normalize: KernelOf<'normalize'> = ({ field, mean, std }) =>
  imageOp('normalize', field, (image) => normalized(image, { mean, std }))
