import { declareOp } from '../declare.js'
import { type JoinOptions, JoinParams, joined } from './concat.js'
import { joinedFields } from './join.js'
import { axisOf, wrongShape } from './shapes.js'

export const stack = declareOp({
  name: 'stack',
  kind: 'record',
  summary: 'Puts fields of one type and shape side by side along a new axis of a new field, as tf.stack.',
  params: JoinParams,
  args: (fields: readonly string[], into: string, options: JoinOptions = {}) => ({
    fields: [...fields],
    into,
    ...options,
  }),
  infer: (signature, { fields, into, axis = 0, keep = false }) => {
    const parts = joinedFields('stack', signature, fields)
    const [first] = parts
    if (!first) return signature
    const shape = first.shape.map((dim, at) => parts.map((part) => part.shape[at]).find((one) => one != null) ?? dim)
    for (const [index, part] of parts.entries()) {
      const fits =
        part.shape.length === shape.length && part.shape.every((dim, at) => dim === null || dim === shape[at])
      const field = fields[index] ?? ''
      if (!fits) throw wrongShape('stack', field, `"${field}" has the shape [${part.shape}], not [${shape}]`)
    }
    const at = axisOf('stack', fields[0] ?? '', first, axis, shape.length + 1)
    return joined(signature, fields, into, keep, { dtype: first.dtype, shape: shape.toSpliced(at, 0, parts.length) })
  },
  touches: ({ fields, into }) => [...fields, into],
})
