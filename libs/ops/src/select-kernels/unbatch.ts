import type { RecordFields, StringTensor, Tensor } from '@stoker/formats'
import { UnbatchRows } from '../error-table.js'
import type { SelectKernelOf } from '../kernel.js'

type Field = RecordFields[string]

/** Row r of each field [rows, ...]: views, nothing is copied. */
export const unbatch: SelectKernelOf<'unbatch'> = () => (record) => {
  const fields = Object.entries(record)
  const [first] = fields
  if (!first) return []
  const rows = first[1].shape[0] ?? 0
  for (const [name, { shape }] of fields) {
    if (shape[0] !== rows) throw UnbatchRows(first[0], rows, name, shape[0] ?? 0).with({ place: { field: name } })
  }
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(fields.map(([name, field]) => [name, rowOf(field, row)])),
  )
}

function rowOf(field: Field, row: number): Field {
  const shape = field.shape.slice(1)
  if (field.dtype !== 'string') {
    const size = shape.reduce((elements, dim) => elements * dim, 1)
    return { dtype: field.dtype, shape, data: field.data.subarray(row * size, (row + 1) * size) } as Tensor
  }
  const strings = field.data as StringTensor['data']
  if (shape.length === 0) return { dtype: 'string', shape: [], data: strings[row] ?? new Uint8Array(0) }
  const size = shape.reduce((elements, dim) => elements * dim, 1)
  return { dtype: 'string', shape, data: strings.slice(row * size, (row + 1) * size) }
}
