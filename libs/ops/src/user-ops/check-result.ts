import type { RecordFields } from '@stoker/formats'
import { type DType, describeField, type FieldSpec, type Signature } from '@stoker/spec'
import { ARRAYS } from '../cast.js'
import { sizeOf } from '../elements.js'
import { UserOpResult } from '../error-table.js'

const wrong = (op: string, text: string, field?: string) =>
  UserOpResult(op, text).with(field === undefined ? {} : { place: { field } })

/** Types and shapes of a record; of a batch, with `skip` 1, those of one record of it. */
export function signatureOf(fields: RecordFields, skip: 0 | 1 = 0): Signature {
  return Object.fromEntries(
    Object.entries(fields).map(([name, { dtype, shape }]) => [name, { dtype, shape: shape.slice(skip) }]),
  )
}

/**
 * Checks what an op returned: fields that hold together, of the types and shapes that its declaration promised.
 * @param records of a batch: the first dimension of each field
 * @throws UserOpResult
 */
export function checkFields(op: string, value: unknown, promised: Signature, records?: number): RecordFields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(op, `${shown(value)}, no record`)
  const names = Object.keys(value)
  const lacking = Object.keys(promised).find((name) => !names.includes(name))
  if (lacking !== undefined) throw wrong(op, `no field "${lacking}"`, lacking)
  for (const [name, field] of Object.entries(value)) {
    const spec = promised[name]
    if (!spec) throw wrong(op, `the field "${name}", which its infer does not name`, name)
    checkField(op, name, field)
    const made = field as FieldSpec
    const wanted = records === undefined ? spec : { dtype: spec.dtype, shape: [records, ...spec.shape] }
    if (!isLike(made, wanted)) {
      throw wrong(op, `"${name}" as ${describeField(made)}, where its infer says ${describeField(wanted)}`, name)
    }
  }
  return value as RecordFields
}

function isLike(made: FieldSpec, wanted: FieldSpec): boolean {
  return (
    made.dtype === wanted.dtype &&
    made.shape.length === wanted.shape.length &&
    wanted.shape.every((dim, at) => dim === null || dim === made.shape[at])
  )
}

function checkField(op: string, name: string, field: unknown): void {
  if (typeof field !== 'object' || field === null || !('dtype' in field && 'shape' in field && 'data' in field)) {
    throw wrong(op, `${shown(field)} in "${name}", no {dtype, shape, data}`, name)
  }
  const { dtype, shape, data } = field
  if (!Array.isArray(shape) || !shape.every((dim) => Number.isInteger(dim) && dim >= 0)) {
    throw wrong(op, `the shape ${shown(shape)} in "${name}"`, name)
  }
  const size = sizeOf(shape as number[])
  if (dtype === 'string') {
    const isText =
      shape.length === 0 ? isBytes(data) : Array.isArray(data) && data.length === size && data.every(isBytes)
    if (!isText) throw wrong(op, `"${name}" without ${size} byte strings`, name)
    return
  }
  const array = Object.hasOwn(ARRAYS, String(dtype)) ? ARRAYS[dtype as DType] : undefined
  if (!array) throw wrong(op, `the type ${shown(dtype)} in "${name}"`, name)
  if (!(data instanceof array) || data.length !== size) {
    const have = ArrayBuffer.isView(data) ? `${data.constructor.name} of ${(data as Uint8Array).length}` : shown(data)
    throw wrong(op, `${have} in "${name}", which needs ${array.name} of ${size}`, name)
  }
}

const isBytes = (value: unknown): boolean => value instanceof Uint8Array

function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = typeof value === 'object' && value !== null ? value.constructor?.name : JSON.stringify(value)
  return String(text).slice(0, 60)
}
