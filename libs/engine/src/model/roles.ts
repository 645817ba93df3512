import type { DType, Signature, Train } from '@stoker/spec'
import { StokerError } from '@stoker/spec'
import { ModelInput, StepFailed } from '../error-table.js'
import type { BatchTensor, DecodedBatch, Deferred } from '../types.js'

/** Which fields of a batch feed the model, in order, and which one it is compared with. */
export interface Roles {
  readonly features: readonly string[]
  readonly label: string
}

/** @throws ModelInput when the pipeline has no such field */
export function rolesOf(train: Train, fields: Signature): Roles {
  const label = train.label ?? 'label'
  const features = train.features ?? Object.keys(fields).filter((name) => name !== label)
  const known = Object.keys(fields).join(', ')
  for (const name of [...features, label]) {
    if (!(name in fields))
      throw ModelInput(`the batches have no field "${name}", only ${known}`).with({ place: { field: name } })
    if (fields[name]?.dtype === 'string')
      throw ModelInput(`field "${name}" holds byte strings`).with({ place: { field: name } })
  }
  if (features.length === 0) throw ModelInput(`there is no field besides the label "${label}"`)
  return { features, label }
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

export const recordsOf = (batch: DecodedBatch, label: string): number => tensorOf(batch, label).shape[0] ?? 0

/** What TensorFlow says about a batch, such as a label past the last class, as a coded error. */
export const stepError = (error: unknown): StokerError =>
  error instanceof StokerError
    ? error
    : StepFailed(error instanceof Error ? error.message : String(error)).with({ cause: error })
