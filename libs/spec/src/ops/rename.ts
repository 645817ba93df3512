import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { FieldTaken } from '../error-table.js'
import { fieldOf } from '../fields.js'
import { FieldName } from '../knobs.js'
import type { FieldSpec } from '../signature.js'

export const rename = declareOp({
  name: 'rename',
  kind: 'record',
  summary: 'Gives fields new names, {old: new}, all at once: two may swap theirs.',
  params: Type.Object(
    { names: Type.Record(FieldName, FieldName, { minProperties: 1, maxProperties: 4096 }) },
    { additionalProperties: false },
  ),
  args: (names: Readonly<Record<string, string>>) => ({ names: { ...names } }),
  infer: (signature, { names }) => {
    for (const field of Object.keys(names)) fieldOf(signature, 'rename', field)
    const renamed: Record<string, FieldSpec> = {}
    for (const [name, spec] of Object.entries(signature)) {
      const to = Object.hasOwn(names, name) ? (names[name] ?? name) : name
      if (Object.hasOwn(renamed, to)) throw FieldTaken('rename', to).with({ place: { op: 'rename', field: name } })
      renamed[to] = spec
    }
    return renamed
  },
  touches: ({ names }) => Object.entries(names).flat(),
})
