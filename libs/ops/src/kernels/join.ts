import type { RecordFields } from '@stoker/formats'
import { copyElements, elementsOf, type Field, fieldOf, newElements, sizeOf } from '../elements.js'
import { RecordShape } from '../error-table.js'
import { fieldNamed, withField } from '../fields.js'
import type { KernelOf } from '../kernel.js'

interface Join {
  readonly fields: readonly string[]
  readonly into: string
  readonly keep?: boolean
}

/** The parts, after the op has brought each to a form of equal rank. */
function partsOf(record: RecordFields, op: string, { fields }: Join, form: (value: Field) => Field): Field[] {
  return fields.map((field) => form(fieldNamed(record, op, field)))
}

function finish(record: RecordFields, { fields, into, keep = false }: Join, value: Field): RecordFields {
  const left = keep ? record : Object.fromEntries(Object.entries(record).filter(([name]) => !fields.includes(name)))
  return withField(left, into, value)
}

/** Joins parts along an axis; all other dimensions must agree. */
function joinAlong(op: string, parts: readonly Field[], { fields }: Join, axis: number): Field {
  const [first] = parts
  if (!first) throw new TypeError(`${op} without fields`)
  for (const [index, { shape, dtype }] of parts.entries()) {
    const fits =
      dtype === first.dtype &&
      shape.length === first.shape.length &&
      shape.every((dim, at) => at === axis || dim === first.shape[at])
    if (!fits) {
      const text = `"${fields[index]}" is ${dtype}[${shape.join(',')}] beside ${first.dtype}[${first.shape.join(',')}]`
      throw RecordShape(op, text).with({ place: { field: fields[index] ?? '' } })
    }
  }
  const rows = parts.map(({ shape }) => sizeOf(shape.slice(axis)))
  const rowLength = rows.reduce((sum, row) => sum + row, 0)
  const outer = sizeOf(first.shape.slice(0, axis))
  const out = newElements(first.dtype, outer * rowLength)
  let start = 0
  for (const [index, part] of parts.entries()) {
    const row = rows[index] ?? 0
    const elements = elementsOf(part)
    for (let at = 0; at < outer; at++) copyElements(out, at * rowLength + start, elements, at * row, (at + 1) * row)
    start += row
  }
  const joined = parts.reduce((sum, { shape }) => sum + (shape[axis] ?? 0), 0)
  return fieldOf(first.dtype, [...first.shape].with(axis, joined), out)
}

export const concat: KernelOf<'concat'> = ({ axis = 0, ...join }) => {
  const form = (value: Field) => (value.shape.length > 0 ? value : fieldOf(value.dtype, [1], elementsOf(value)))
  return (record) => {
    const parts = partsOf(record, 'concat', join, form)
    const at = axis < 0 ? axis + (parts[0]?.shape.length ?? 0) : axis
    return finish(record, join, joinAlong('concat', parts, join, at))
  }
}

export const stack: KernelOf<'stack'> =
  ({ axis = 0, ...join }) =>
  (record) => {
    const form = (value: Field) => {
      const at = axis < 0 ? axis + value.shape.length + 1 : axis
      return fieldOf(value.dtype, value.shape.toSpliced(at, 0, 1), elementsOf(value))
    }
    const parts = partsOf(record, 'stack', join, form)
    const at = axis < 0 ? axis + (parts[0]?.shape.length ?? 0) : axis
    return finish(record, join, joinAlong('stack', parts, join, at))
  }
