import type { Tensor } from '@stoker/formats'
import { castTensor } from '../cast.js'
import { tensorOf, withField } from '../fields.js'
import type { KernelOf } from '../kernel.js'

export const clipByValue: KernelOf<'clipByValue'> = ({ field, clipValueMin, clipValueMax }) => {
  const bounds: Tensor = { dtype: 'float64', shape: [2], data: Float64Array.of(clipValueMin, clipValueMax) }
  return (record) => {
    const tensor = tensorOf(record, 'clipByValue', field)
    // TensorFlow, too, brings the bounds to the type of the field first.
    const [least = 0, most = 0] = castTensor(bounds, tensor.dtype).data
    // NaN compares false with both and stays.
    const clip = <Value extends number | bigint>(value: Value): Value =>
      (value < least ? least : value > most ? most : value) as Value
    const data = tensor.data instanceof BigInt64Array ? tensor.data.map(clip) : tensor.data.map(clip)
    return withField(record, field, { ...tensor, data })
  }
}

export const log1p: KernelOf<'log1p'> =
  ({ field }) =>
  (record) => {
    const tensor = tensorOf(record, 'log1p', field)
    return withField(record, field, { ...tensor, data: (tensor.data as Float32Array).map(Math.log1p) })
  }
