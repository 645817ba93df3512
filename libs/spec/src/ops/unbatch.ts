import { Type } from 'typebox'
import { declareOp } from '../declare.js'
import { UnbatchWithoutRows } from '../error-table.js'
import type { Signature } from '../signature.js'

export const unbatch = declareOp({
  name: 'unbatch',
  kind: 'select',
  summary:
    'Splits each record along its first dimension into that many records, as tf.data.Dataset.unbatch; counted when shards are indexed.',
  params: Type.Object({}, { additionalProperties: false }),
  args: () => ({}),
  infer: (signature) => {
    const rows: Record<string, Signature[string]> = {}
    for (const [name, { dtype, shape }] of Object.entries(signature)) {
      if (shape.length === 0) throw UnbatchWithoutRows(name).with({ place: { op: 'unbatch', field: name } })
      rows[name] = { dtype, shape: shape.slice(1) }
    }
    return rows
  },
})
