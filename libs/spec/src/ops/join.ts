import { WrongFieldType } from '../error-table.js'
import { fieldOf } from '../fields.js'
import type { FieldSpec, Signature } from '../signature.js'

/** The fields that an op joins; all must have the type of the first. */
export function joinedFields(op: string, signature: Signature, fields: readonly string[]): FieldSpec[] {
  const specs = fields.map((field) => fieldOf(signature, op, field))
  const [first] = specs
  for (const [index, spec] of specs.entries()) {
    if (!first || spec.dtype === first.dtype) continue
    const field = fields[index] ?? ''
    throw WrongFieldType(op, field, `${first.dtype} like "${fields[0]}"`, spec.dtype).with({
      place: { op, field },
      remedy: `put cast('${field}', '${first.dtype}') before it`,
    })
  }
  return specs
}
