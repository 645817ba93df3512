import { Type } from 'typebox'
import { declareOp, withField } from '../declare.js'
import { isFloat } from '../dtype.js'
import { WrongFieldType } from '../error-table.js'
import { fieldOf } from '../fields.js'
import { FieldName } from '../knobs.js'
import { describeField, type FieldSpec, type Signature } from '../signature.js'
import { wrongShape } from './shapes.js'

/** A field with a first dimension: a list, or rows. */
export function listField(signature: Signature, op: string, field: string): FieldSpec {
  const spec = fieldOf(signature, op, field)
  if (spec.shape.length > 0) return spec
  throw WrongFieldType(op, field, 'a list', describeField(spec)).with({ place: { op, field } })
}

const Length = Type.Integer({ minimum: 0, maximum: 1 << 30 })
export const PadValue = Type.Optional(Type.Union([Type.Number(), Type.String()]))

export interface Options {
  readonly value?: number | string
  readonly truncate?: boolean
}

export const padTo = declareOp({
  name: 'padTo',
  kind: 'record',
  summary:
    'Fills a list up to length along its first dimension with value (0 or empty text), as RaggedTensor.to_tensor; a longer one is an error unless truncate.',
  params: Type.Object(
    { field: FieldName, length: Length, value: PadValue, truncate: Type.Optional(Type.Boolean({ default: false })) },
    { additionalProperties: false },
  ),
  args: (field: string, length: number, options: Options = {}) => ({ field, length, ...options }),
  infer: (signature, { field, length, value, truncate }) => {
    const spec = listField(signature, 'padTo', field)
    if (value !== undefined && (typeof value === 'string') !== (spec.dtype === 'string')) {
      const wanted = spec.dtype === 'string' ? 'text' : 'a number'
      throw wrongShape('padTo', field, `value is ${JSON.stringify(value)}, but "${field}" takes ${wanted}`)
    }
    if (typeof value === 'number' && !isFloat(spec.dtype) && !Number.isInteger(value)) {
      throw wrongShape('padTo', field, `value is ${value}, but "${field}" is ${spec.dtype}`)
    }
    if (!truncate && (spec.shape[0] ?? 0) > length) {
      throw wrongShape('padTo', field, `"${field}" is ${describeField(spec)}, longer than ${length}`)
    }
    return withField(signature, field, { dtype: spec.dtype, shape: [length, ...spec.shape.slice(1)] })
  },
})

export const truncate = declareOp({
  name: 'truncate',
  kind: 'record',
  summary: 'Keeps the first length elements of a list along its first dimension, as x[:length].',
  params: Type.Object({ field: FieldName, length: Length }, { additionalProperties: false }),
  args: (field: string, length: number) => ({ field, length }),
  infer: (signature, { field, length }) => {
    const { dtype, shape } = listField(signature, 'truncate', field)
    const first = shape[0] ?? null
    return withField(signature, field, {
      dtype,
      shape: [first === null ? null : Math.min(first, length), ...shape.slice(1)],
    })
  },
})
