import type { DType, Signature } from '@stoker/spec'
import { ModelInput } from '../error-table.js'
import type { Binding } from '../load/native.js'
import type { Deferred } from '../types.js'
import { finalDtype, type Roles } from './roles.js'
import type { SavedModelSignature } from './saved-model-proto.js'

/** One input of a signature and the field that feeds it. */
export interface Feed {
  readonly field: string
  /** Name in the graph. */
  readonly input: string
  readonly dtype: 'float32' | 'int32' | 'int64' | 'uint8'
}

/**
 * Pairs a signature's inputs with fields: a label with `y` (of several outputs `y_<output>`); weights of records with
 * `sample_weight`; a single feature with `x`, several with inputs of their own names or as the job maps them.
 *
 * @throws ModelInput where names, types or shapes do not fit
 */
export function feedsOf(
  signature: SavedModelSignature,
  roles: Roles,
  fields: Signature,
  deferred: Deferred,
  binding: Binding,
): Feed[] {
  const types = new Map<number, Feed['dtype']>([
    [binding.TF_FLOAT, 'float32'],
    [binding.TF_INT32, 'int32'],
    [binding.TF_INT64, 'int64'],
    [binding.TF_UINT8, 'uint8'],
  ])
  const open = new Set(Object.keys(signature.inputs))
  const pair = (field: string, keys: readonly string[]): Feed => {
    const place = { field }
    const key = keys.find((one) => open.delete(one))
    const input = key === undefined ? undefined : signature.inputs[key]
    if (!input) {
      const known = Object.keys(signature.inputs).join(', ')
      throw ModelInput(`no input of the SavedModel is for field "${field}": it has ${known}`).with({ place })
    }
    const dtype = types.get(input.dtype)
    if (!dtype)
      throw ModelInput(`input ${key} has TensorFlow's data type ${input.dtype}, which no batch has`).with({ place })
    const { dtype: wire, shape } = fields[field] as { dtype: DType; shape: readonly (number | null)[] }
    const final = finalDtype(field, wire, deferred)
    if (dtype !== 'float32' && final !== dtype && (isFloat(final) || dtype === 'uint8')) {
      throw ModelInput(`input ${key} takes ${dtype}, and field "${field}" is ${final}`).with({
        place,
        remedy: `leave cast and scale out of the pipeline, or export the model with --dtype ${final}`,
      })
    }
    const wanted = input.shape?.slice(1)
    const fits =
      !wanted ||
      (wanted.length === shape.length && wanted.every((dim, i) => dim === -1 || shape[i] === null || dim === shape[i]))
    if (!fits) throw ModelInput(`input ${key} takes [${wanted}], and field "${field}" is [${shape}]`).with({ place })
    return { field, input: input.name, dtype }
  }
  const { byInput, features, outputs } = roles
  const labels = outputs.map(({ name, label }) =>
    pair(label, name === undefined ? [label, 'y'] : [`y_${name}`, label, ...(outputs.length === 1 ? ['y'] : [])]),
  )
  const weights = [...new Set(outputs.flatMap(({ sampleWeight }) => sampleWeight ?? []))]
  const weightFeeds = weights.map((field) => pair(field, ['sample_weight', field]))
  const featureFeeds = byInput
    ? Object.entries(byInput).map(([input, field], _at, all) => pair(field, all.length === 1 ? [input, 'x'] : [input]))
    : features.map((field) => pair(field, features.length === 1 ? [field, 'x'] : [field]))
  if (open.size > 0) {
    throw ModelInput(`no field feeds input ${[...open].join(', ')} of the SavedModel`).with({
      remedy: 'name the fields as the inputs, and list them in train.features',
    })
  }
  return [...featureFeeds, ...labels, ...weightFeeds]
}

const isFloat = (dtype: string): boolean => dtype === 'float32' || dtype === 'float64'
