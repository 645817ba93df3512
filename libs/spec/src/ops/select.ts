import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { fieldOf } from '../fields.js'
import { FieldName } from '../knobs.js'

export const FieldNames = Type.Array(FieldName, { minItems: 1, maxItems: 4096, uniqueItems: true })

export const select = declareOp({
  name: 'select',
  kind: 'record',
  summary: 'Keeps the named fields and drops the others, as a map that returns a smaller dict.',
  params: Type.Object({ fields: FieldNames }, { additionalProperties: false }),
  args: (fields: readonly string[]) => ({ fields: [...fields] }),
  infer: (signature, { fields }) =>
    Object.fromEntries(fields.map((field) => [field, fieldOf(signature, 'select', field)])),
  // What stays is as it was, and what goes does not come to the wire.
  touches: () => [],
})
