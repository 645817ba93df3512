import { ARRAYS } from '../cast.js'
import { tensorOf, withField } from '../fields.js'
import type { KernelOf } from '../kernel.js'

export const oneHot: KernelOf<'oneHot'> = ({ field, depth, onValue = 1, offValue = 0, dtype = 'float32' }) => {
  const typed = (value: number) => (dtype === 'int64' ? BigInt(value) : value)
  const on = typed(onValue)
  const off = typed(offValue)
  return (record) => {
    const { data, shape } = tensorOf(record, 'oneHot', field)
    // The array's type and that of its values go together, whichever it is.
    const out = new ARRAYS[dtype](data.length * depth) as Float32Array
    if (offValue !== 0) out.fill(off as number)
    for (let at = 0; at < data.length; at++) {
      const place = Number(data[at])
      if (place >= 0 && place < depth) out[at * depth + place] = on as number
    }
    return withField(record, field, { dtype, shape: [...shape, depth], data: out })
  }
}
