import { tensorOf, withField } from '../fields.js'
import type { KernelOf } from '../kernel.js'
import { scaleTensor } from '../scale.js'

export const scale: KernelOf<'scale'> =
  ({ field, factor, offset = 0 }) =>
  (record) =>
    withField(record, field, scaleTensor(tensorOf(record, 'scale', field), factor, offset))
