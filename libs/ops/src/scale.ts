import type { Tensor } from '@stoker/formats'
import { wrongField } from './fields.js'

/**
 * `x * factor + offset`, each step rounded to the tensor's own type (float32 or float64), as TensorFlow computes
 * `image * factor + offset` with constants of that type.
 */
export function scaleTensor(tensor: Tensor, factor: number, offset = 0): Tensor {
  const { dtype, shape, data } = tensor
  if (data instanceof Float64Array) return { dtype, shape, data: data.map((value) => value * factor + offset) }
  if (!(data instanceof Float32Array)) throw wrongField('scale', '', 'float32 or float64', tensor)
  const by = Math.fround(factor)
  const plus = Math.fround(offset)
  const scaled = new Float32Array(data.length)
  for (let at = 0; at < data.length; at++) {
    scaled[at] = Math.fround(Math.fround((data[at] ?? 0) * by) + plus)
  }
  return { dtype, shape, data: scaled }
}
