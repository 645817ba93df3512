import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { PaddedShape } from '../error-table.js'
import { fieldOf } from '../fields.js'
import { FieldName } from '../knobs.js'
import { describeField, type Signature } from '../signature.js'

const Dim = Type.Union([Type.Integer({ minimum: 0, maximum: 1 << 30 }), Type.Null()])

export interface PaddedBatchOptions {
  readonly paddedShapes?: Readonly<Record<string, readonly (number | null)[]>>
  readonly paddingValues?: Readonly<Record<string, number | string>>
  readonly dropRemainder?: boolean
}

export const paddedBatch = declareOp({
  name: 'paddedBatch',
  kind: 'order',
  summary:
    'Stacks consecutive records and pads each field at its end to the longest of the batch or to a given shape, as tf.data.Dataset.padded_batch.',
  params: Type.Object(
    {
      size: Type.Integer({ minimum: 1, maximum: 1 << 20 }),
      dropRemainder: Type.Optional(Type.Boolean({ default: false })),
      paddedShapes: Type.Optional(
        Type.Record(FieldName, Type.Array(Dim, { maxItems: 8 }), {
          description: 'shape of one record by field; null pads to the longest of the batch, as all do without it',
        }),
      ),
      paddingValues: Type.Optional(
        Type.Record(FieldName, Type.Union([Type.Number(), Type.String()]), {
          description: 'by field, 0 where not given; int64 beyond 2^53 as a decimal string',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  args: (size: number, { paddedShapes, ...options }: PaddedBatchOptions = {}) => ({
    size,
    ...options,
    ...(paddedShapes
      ? { paddedShapes: Object.fromEntries(Object.entries(paddedShapes).map(([field, dims]) => [field, [...dims]])) }
      : {}),
  }),
  infer: (signature, { paddedShapes = {}, paddingValues = {} }) => {
    for (const field of [...Object.keys(paddedShapes), ...Object.keys(paddingValues)]) {
      fieldOf(signature, 'paddedBatch', field)
    }
    const padded: Record<string, Signature[string]> = {}
    for (const [name, field] of Object.entries(signature)) {
      const asked = paddedShapes[name]
      const fits = (dim: number | null, axis: number) => dim === null || (field.shape[axis] ?? 0) <= dim
      if (asked && (asked.length !== field.shape.length || !asked.every(fits))) {
        throw PaddedShape(name, describeField(field), JSON.stringify(asked)).with({ place: { field: name } })
      }
      padded[name] = { dtype: field.dtype, shape: asked ?? field.shape }
    }
    return padded
  },
})
