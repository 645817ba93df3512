import { type Static, Type } from 'typebox'
import { declareOp } from '../declare.js'
import { FilterWithoutTest } from '../error-table.js'
import { fieldOf } from '../fields.js'
import { FieldName } from '../knobs.js'

const Value = Type.Union([Type.Number(), Type.Boolean(), Type.String()], {
  description: 'int64 beyond 2^53 as a decimal string; text as UTF-8',
})
const Values = Type.Array(Value, { minItems: 1, maxItems: 100_000 })

const Tests = {
  equals: Type.Optional(Value),
  notEquals: Type.Optional(Value),
  in: Type.Optional(Values),
  notIn: Type.Optional(Values),
  lessThan: Type.Optional(Value),
  atMost: Type.Optional(Value),
  greaterThan: Type.Optional(Value),
  atLeast: Type.Optional(Value),
  isFinite: Type.Optional(Type.Boolean({ description: 'true keeps numbers, false keeps NaN and infinities' })),
  minLength: Type.Optional(Type.Integer({ minimum: 0, description: 'bytes of text, or the first dimension' })),
  maxLength: Type.Optional(Type.Integer({ minimum: 0, description: 'bytes of text, or the first dimension' })),
}
export type FilterTests = Static<ReturnType<typeof testsSchema>>
const testsSchema = () => Type.Object(Tests, { additionalProperties: false })

export const filter = declareOp({
  name: 'filter',
  kind: 'select',
  summary:
    'Keeps the records whose field passes every test given, as tf.data.Dataset.filter; counted when shards are indexed.',
  params: Type.Object(
    {
      field: FieldName,
      ...Tests,
      elements: Type.Optional(
        Type.Union([Type.Literal('all'), Type.Literal('any')], {
          default: 'all',
          description: 'of a field with several elements: whether all must pass or one is enough',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  args: (field: string, tests: FilterTests & { readonly elements?: 'all' | 'any' }) => ({ field, ...tests }),
  infer: (signature, params) => {
    const { field, elements, ...tests } = params
    fieldOf(signature, 'filter', field)
    if (Object.values(tests).every((test) => test === undefined)) {
      throw FilterWithoutTest().with({ place: { op: 'filter', field } })
    }
    return signature
  },
})
