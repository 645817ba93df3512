import { castTensor } from '../cast.js'
import { tensorOf, withField } from '../fields.js'
import type { KernelOf } from '../kernel.js'

export const cast: KernelOf<'cast'> =
  ({ field, dtype }) =>
  (record) =>
    withField(record, field, castTensor(tensorOf(record, 'cast', field), dtype))
