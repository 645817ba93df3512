import { tensorOf, withField } from '../fields.js'
import type { Kernel, KernelOf } from '../kernel.js'
import { resizeBilinear } from '../resize.js'

type Params = Parameters<KernelOf<'resize'>>[0] & { readonly out?: 'float32' | 'uint8' }

export const resize: Kernel<Params> = ({ field, size, out = 'float32' }) => {
  const [height = 1, width = 1] = size
  return (record) => withField(record, field, resizeBilinear(tensorOf(record, 'resize', field), [height, width], out))
}
