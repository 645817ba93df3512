import { elementsOf, type Field, fieldOf, sizeOf } from '../elements.js'
import { RecordShape } from '../error-table.js'
import { fieldNamed, withField } from '../fields.js'
import type { KernelOf } from '../kernel.js'

const shown = (value: Field) => `${value.dtype}[${value.shape.join(',')}]`
const reshaped = (value: Field, shape: readonly number[]): Field => fieldOf(value.dtype, shape, elementsOf(value))

export const reshape: KernelOf<'reshape'> = ({ field, shape }) => {
  const given = shape.reduce((size, dim) => (dim === -1 ? size : size * dim), 1)
  return (record) => {
    const value = fieldNamed(record, 'reshape', field)
    const size = sizeOf(value.shape)
    const free = shape.includes(-1) && given > 0 ? size / given : 1
    if (given * free !== size || !Number.isInteger(free)) {
      throw RecordShape('reshape', `"${field}" is ${shown(value)}, which does not fit [${shape.join(',')}]`)
    }
    return withField(
      record,
      field,
      reshaped(
        value,
        shape.map((dim) => (dim === -1 ? free : dim)),
      ),
    )
  }
}

export const expandDims: KernelOf<'expandDims'> =
  ({ field, axis }) =>
  (record) => {
    const value = fieldNamed(record, 'expandDims', field)
    const at = axis < 0 ? axis + value.shape.length + 1 : axis
    return withField(record, field, reshaped(value, value.shape.toSpliced(at, 0, 1)))
  }

export const squeeze: KernelOf<'squeeze'> =
  ({ field, axis }) =>
  (record) => {
    const value = fieldNamed(record, 'squeeze', field)
    const { shape } = value
    const gone = axis?.map((one) => (one < 0 ? one + shape.length : one))
    const wrong = gone?.find((at) => shape[at] !== 1)
    if (wrong !== undefined) {
      throw RecordShape('squeeze', `dimension ${wrong} of "${field}", ${shown(value)}, does not have size 1`)
    }
    return withField(
      record,
      field,
      reshaped(
        value,
        shape.filter((dim, at) => (gone ? !gone.includes(at) : dim !== 1)),
      ),
    )
  }
