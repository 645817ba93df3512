import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { fieldOf } from '../fields.js'
import { FieldNames } from './select.js'

export const drop = declareOp({
  name: 'drop',
  kind: 'record',
  summary: 'Removes the named fields from the record.',
  params: Type.Object({ fields: FieldNames }, { additionalProperties: false }),
  args: (fields: readonly string[]) => ({ fields: [...fields] }),
  infer: (signature, { fields }) => {
    for (const field of fields) fieldOf(signature, 'drop', field)
    return Object.fromEntries(Object.entries(signature).filter(([name]) => !fields.includes(name)))
  },
  touches: ({ fields }) => fields,
})
