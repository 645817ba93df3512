import { InputsClash, InputsDiffer, SampleWeights } from '../error-table.js'
import { describeField, type FieldSpec, type Signature } from '../signature.js'
import type { CombinedName } from '../sources/combined.js'

/** Fields of a record of several inputs. */
export function combinedSignature(type: CombinedName, inputs: readonly Signature[]): Signature {
  return type === 'zip' ? joined(inputs) : merged(type, inputs)
}

function joined(inputs: readonly Signature[]): Signature {
  const fields: Record<string, FieldSpec> = {}
  for (const input of inputs) {
    for (const [name, field] of Object.entries(input)) {
      if (fields[name]) throw InputsClash(name).with({ place: { field: name } })
      fields[name] = field
    }
  }
  return fields
}

/** Same names, types and ranks; a dimension in which inputs differ is known only at run time. */
function merged(type: string, inputs: readonly Signature[]): Signature {
  const [first = {}, ...others] = inputs
  const fields: Record<string, FieldSpec> = { ...first }
  for (const [index, input] of others.entries()) {
    const names = new Set([...Object.keys(first), ...Object.keys(input)])
    for (const name of names) {
      const [a, b] = [fields[name], input[name]]
      if (!a || !b || a.dtype !== b.dtype || a.shape.length !== b.shape.length) {
        const told = (field: FieldSpec | undefined) => (field ? describeField(field) : 'missing')
        throw InputsDiffer(type, `"${name}" is ${told(a)} in input 0 and ${told(b)} in input ${index + 1}`).with({
          place: { field: name },
        })
      }
      fields[name] = { dtype: a.dtype, shape: a.shape.map((dim, axis) => (dim === b.shape[axis] ? dim : null)) }
    }
  }
  return fields
}

/** @throws SampleWeights unless there is one weight an input, not all of them 0. */
export function checkWeights(weights: readonly number[] | undefined, inputs: number): void {
  if (!weights) return
  if (weights.length !== inputs) throw SampleWeights(`${weights.length} weights for ${inputs} inputs`)
  if (weights.every((weight) => weight === 0)) throw SampleWeights('no weight above 0')
}
