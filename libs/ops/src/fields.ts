import type { Bytes, RecordFields, StringTensor, Tensor } from '@stoker/formats'
import { KernelField } from './error-table.js'

type Field = Tensor | Bytes | StringTensor

/** The bytes of a field that must be one byte string. */
export function bytesOf(record: RecordFields, op: string, field: string): Uint8Array {
  const value = record[field]
  if (value?.dtype === 'string' && value.data instanceof Uint8Array) return value.data
  throw wrongField(op, field, 'one byte string', value)
}

/** A field of any type. */
export function fieldNamed(record: RecordFields, op: string, field: string): Field {
  const value = record[field]
  if (value) return value
  throw wrongField(op, field, 'a field', value)
}

/** A field that must be a numeric tensor. */
export function tensorOf(record: RecordFields, op: string, field: string): Tensor {
  const value = record[field]
  if (value && value.dtype !== 'string') return value
  throw wrongField(op, field, 'numbers', value)
}

export function wrongField(op: string, field: string, wanted: string, value: Field | undefined) {
  const found = value ? `${value.dtype}[${value.shape.join(',')}]` : 'no such field'
  return KernelField(op, field, wanted, found).with({ place: { op, field } })
}

export const withField = (record: RecordFields, field: string, value: Field): RecordFields => ({
  ...record,
  [field]: value,
})
