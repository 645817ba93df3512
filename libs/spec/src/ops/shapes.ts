import { WrongShape } from '../error-table.js'
import { describeField, type FieldSpec } from '../signature.js'

export const wrongShape = (op: string, field: string, text: string) =>
  WrongShape(op, text).with({ place: { op, field } })

/** An axis counted from the end where it is negative, as a place from 0. */
export function axisOf(op: string, field: string, spec: FieldSpec, axis: number, rank = spec.shape.length): number {
  if (axis >= -rank && axis < rank) return axis < 0 ? axis + rank : axis
  throw wrongShape(op, field, `axis ${axis} does not fit the field "${field}", which is ${describeField(spec)}`)
}

/** Elements of a shape; null where a dimension is known only at run time. */
export function elementsOf(shape: FieldSpec['shape']): number | null {
  return shape.reduce((all, dim) => (all === null || dim === null ? null : all * dim), 1 as number | null)
}
