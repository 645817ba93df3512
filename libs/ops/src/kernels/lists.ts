import type { TypedArray } from '@stoker/formats'
import { copyElements, elementsOf, type Field, fieldOf, newElements, sizeOf, sliceElements } from '../elements.js'
import { RecordShape } from '../error-table.js'
import { fieldNamed, withField, wrongField } from '../fields.js'
import type { KernelOf } from '../kernel.js'
import { encodeUtf8 } from '../text/strings.js'

/** The first `length` rows of a field along its first dimension: a view. */
function firstRows({ dtype, shape, ...value }: Field, length: number): Field {
  const rest = shape.slice(1)
  const elements = elementsOf({ dtype, shape, ...value } as Field)
  return fieldOf(dtype, [length, ...rest], sliceElements(elements, 0, length * sizeOf(rest)))
}

export const padTo: KernelOf<'padTo'> =
  ({ field, length, value: filler, truncate = false }) =>
  (record) => {
    const value = fieldNamed(record, 'padTo', field)
    const [rows] = value.shape
    if (rows === undefined) throw wrongField('padTo', field, 'a list', value)
    if (rows > length) {
      if (truncate) return withField(record, field, firstRows(value, length))
      throw RecordShape('padTo', `"${field}" has ${rows} elements, more than ${length}`).with({
        remedy: 'raise length, or set truncate: true',
      })
    }
    const rest = value.shape.slice(1)
    const size = length * sizeOf(rest)
    const out = newElements(value.dtype, size)
    if (filler !== undefined) fill(out as TypedArray | Uint8Array[], filler)
    const elements = elementsOf(value)
    copyElements(out, 0, elements, 0, elements.length)
    return withField(record, field, fieldOf(value.dtype, [length, ...rest], out))
  }

function fill(elements: TypedArray | Uint8Array[], filler: number | string): void {
  if (Array.isArray(elements)) elements.fill(encodeUtf8(String(filler)))
  else if (elements instanceof BigInt64Array) elements.fill(BigInt(filler))
  else elements.fill(Number(filler))
}

export const truncate: KernelOf<'truncate'> =
  ({ field, length }) =>
  (record) => {
    const value = fieldNamed(record, 'truncate', field)
    const [rows] = value.shape
    if (rows === undefined) throw wrongField('truncate', field, 'a list', value)
    return rows <= length ? record : withField(record, field, firstRows(value, length))
  }
