import type { Tensor } from '@stoker/formats'
import type { ImageDType } from '@stoker/spec'
import { castTensor } from '../cast.js'
import { convertImageDtype } from './convert-dtype.js'

/**
 * Runs a step on an image as float32 and gives the result back in the image's own type: whole numbers go through 0 to 1 and
 * are clipped on the way back, as TensorFlow's adjust ops have it; float32 is neither scaled nor clipped.
 */
export function throughFloat(image: Tensor, step: (values: Float32Array) => Float32Array): Tensor {
  const floats = asFloat32(image)
  const changed: Tensor = { dtype: 'float32', shape: image.shape, data: step(floats.data as Float32Array) }
  return convertImageDtype(changed, image.dtype as ImageDType, true)
}

/** The same for a step that looks at one value alone: of 8 bit images it is worked out once for each level. */
export function eachValue(image: Tensor, step: (value: number) => number): Tensor {
  const run = (values: Float32Array): Float32Array => values.map(step)
  if (!(image.data instanceof Uint8Array) || image.dtype !== 'uint8') return throughFloat(image, run)
  const levels: Tensor = { dtype: 'uint8', shape: [256], data: Uint8Array.from({ length: 256 }, (_, level) => level) }
  return { ...image, data: mapped(image.data, throughFloat(levels, run).data as Uint8Array) }
}

/** Each 8 bit value replaced by a table's entry for it. */
function mapped(values: Uint8Array, table: Uint8Array): Uint8Array {
  const out = new Uint8Array(values.length)
  for (let at = 0; at < values.length; at++) out[at] = table[values[at] as number] as number
  return out
}

function asFloat32(image: Tensor): Tensor {
  return image.dtype === 'float64' ? castTensor(image, 'float32') : convertImageDtype(image, 'float32')
}
