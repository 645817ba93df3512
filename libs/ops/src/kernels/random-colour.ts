import { adjustBrightness, adjustContrast } from '../image/adjust.js'
import { adjustHue } from '../image/hue.js'
import { pictureOf } from '../image/pixels.js'
import { adjustSaturation } from '../image/saturation.js'
import type { KernelOf } from '../kernel.js'
import { cutout, rectangleAbout } from '../random/cutout.js'
import { randomImage } from './random-geometry.js'

export const randomBrightness: KernelOf<'randomBrightness'> = (params) =>
  randomImage('randomBrightness', params, (image, draws) =>
    adjustBrightness(image, draws.between(-params.maxDelta, params.maxDelta)),
  )

export const randomContrast: KernelOf<'randomContrast'> = (params) =>
  randomImage('randomContrast', params, (image, draws) =>
    adjustContrast(image, draws.between(params.lower, params.upper)),
  )

export const randomSaturation: KernelOf<'randomSaturation'> = (params) =>
  randomImage('randomSaturation', params, (image, draws) =>
    adjustSaturation(image, draws.between(params.lower, params.upper)),
  )

export const randomHue: KernelOf<'randomHue'> = (params) =>
  randomImage('randomHue', params, (image, draws) => adjustHue(image, draws.between(-params.maxDelta, params.maxDelta)))

export const randomCutout: KernelOf<'randomCutout'> = (params) => {
  const [rows = 2, columns = 2] = params.maskSize
  return randomImage('randomCutout', params, (image, draws) => {
    const { height, width } = pictureOf(image, 'randomCutout')
    const centre = [draws.below(height), draws.below(width)] as const
    return cutout(image, rectangleAbout(centre, [rows, columns], [height, width]), params.constantValues)
  })
}
