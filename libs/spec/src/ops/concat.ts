import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { FieldName } from '../knobs.js'
import type { FieldSpec, Signature } from '../signature.js'
import { Axis } from './expand-dims.js'
import { joinedFields } from './join.js'
import { axisOf, wrongShape } from './shapes.js'

export interface JoinOptions {
  readonly axis?: number
  readonly keep?: boolean
}

export const JoinParams = Type.Object(
  {
    fields: Type.Array(FieldName, { minItems: 1, maxItems: 4096 }),
    into: FieldName,
    axis: Type.Optional({ ...Axis, default: 0 }),
    keep: Type.Optional(Type.Boolean({ default: false, description: 'true: the joined fields stay as they are, too' })),
  },
  { additionalProperties: false },
)

export const concat = declareOp({
  name: 'concat',
  kind: 'record',
  summary:
    'Joins fields of one type along an axis into a new field, as tf.concat; single numbers count as vectors of one, so columns become a vector.',
  params: JoinParams,
  args: (fields: readonly string[], into: string, options: JoinOptions = {}) => ({
    fields: [...fields],
    into,
    ...options,
  }),
  infer: (signature, { fields, into, axis = 0, keep = false }) => {
    const parts = joinedFields('concat', signature, fields).map((spec): FieldSpec => {
      return spec.shape.length === 0 ? { dtype: spec.dtype, shape: [1] } : spec
    })
    const [first] = parts
    if (!first) return signature
    const at = axisOf('concat', fields[0] ?? '', first, axis)
    const shape = first.shape.map((dim, place): number | null => {
      const dims = parts.map((part) => part.shape[place] ?? null)
      if (place === at) return dims.reduce((sum, one) => (sum === null || one === null ? null : sum + one), 0)
      return dims.find((one) => one !== null) ?? dim
    })
    for (const [index, part] of parts.entries()) {
      const fits =
        part.shape.length === shape.length &&
        part.shape.every((dim, place) => place === at || dim === null || dim === shape[place])
      if (!fits) {
        const field = fields[index] ?? ''
        throw wrongShape('concat', field, `"${field}" has the shape [${part.shape}], which does not fit [${shape}]`)
      }
    }
    return joined(signature, fields, into, keep, { dtype: first.dtype, shape })
  },
  touches: ({ fields, into }) => [...fields, into],
})

/** The signature with the joined field in place of its parts. */
export function joined(
  signature: Signature,
  fields: readonly string[],
  into: string,
  keep: boolean,
  spec: FieldSpec,
): Signature {
  const left = keep
    ? signature
    : Object.fromEntries(Object.entries(signature).filter(([name]) => !fields.includes(name)))
  return { ...left, [into]: spec }
}
