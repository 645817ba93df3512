import {
  type DType,
  featureFields,
  type OutputSpec,
  outputsOf,
  type Signature,
  StokerError,
  type Train,
} from '@stoker/spec'
import { ModelInput, StepFailed } from '../error-table.js'
import type { BatchTensor, DecodedBatch, Deferred } from '../types.js'

/** Which fields of a batch feed the model, and which ones its outputs are compared with. */
export interface Roles {
  /** In the order given, or of the fields. */
  readonly features: readonly string[]
  /** Name of the model's input to field, where the job says so. */
  readonly byInput: Readonly<Record<string, string>> | undefined
  readonly outputs: readonly OutputSpec[]
}

/** @throws ModelInput when the pipeline has no such field */
export function rolesOf(train: Train, fields: Signature): Roles {
  const outputs = outputsOf(train)
  const compared = outputs.flatMap(({ label, sampleWeight }) => (sampleWeight ? [label, sampleWeight] : [label]))
  const features = train.features
    ? featureFields(train)
    : Object.keys(fields).filter((name) => !compared.includes(name))
  const known = Object.keys(fields).join(', ')
  for (const name of [...features, ...compared]) {
    if (!(name in fields))
      throw ModelInput(`the batches have no field "${name}", only ${known}`).with({ place: { field: name } })
    if (fields[name]?.dtype === 'string')
      throw ModelInput(`field "${name}" holds byte strings`).with({ place: { field: name } })
  }
  if (features.length === 0)
    throw ModelInput(`there is no field besides ${compared.map((one) => `"${one}"`).join(', ')}`)
  const byInput = train.features && !Array.isArray(train.features) ? train.features : undefined
  return { features, byInput, outputs }
}

/**
 * The field of each input of a layers model: as the job maps them; in the order it lists them; by equal names where it
 * says nothing and there are several.
 *
 * @throws ModelInput
 */
export function fieldsOfInputs(roles: Roles, inputs: readonly string[], isListed: boolean): string[] {
  const { features, byInput } = roles
  if (byInput) {
    const unknown = Object.keys(byInput).find((name) => !inputs.includes(name))
    if (unknown !== undefined) throw ModelInput(`the model has no input "${unknown}", only ${inputs.join(', ')}`)
    return inputs.map((name) => {
      const field = byInput[name]
      if (field === undefined) throw ModelInput(`train.features names no field for input "${name}"`)
      return field
    })
  }
  if (!isListed && inputs.length > 1 && inputs.every((name) => features.includes(name))) return [...inputs]
  if (inputs.length !== features.length || (!isListed && inputs.length > 1)) {
    throw ModelInput(
      `the model has ${inputs.length} inputs (${inputs.join(', ')}), and the features are ${features.join(', ')}`,
    ).with({ remedy: 'map them: "features": {"<input>": "<field>"}' })
  }
  return [...features]
}

/** Type of a field once the deferred ops are applied. */
export const finalDtype = (name: string, wire: DType, deferred: Deferred): DType =>
  (deferred[name]?.length ?? 0) > 0 ? 'float32' : wire

/** @throws ModelInput */
export function tensorOf(batch: DecodedBatch, name: string): BatchTensor {
  const tensor = batch.tensors.find((one) => one.name === name)
  if (!tensor) throw ModelInput(`this batch has no field "${name}"`).with({ place: { field: name } })
  return tensor
}

export const recordsOf = (batch: DecodedBatch, { outputs }: Roles): number =>
  tensorOf(batch, outputs[0]?.label ?? '').shape[0] ?? 0

/** What TensorFlow says about a batch, such as a label past the last class, as a coded error. */
export const stepError = (error: unknown): StokerError =>
  error instanceof StokerError
    ? error
    : StepFailed(error instanceof Error ? error.message : String(error)).with({ cause: error })
