import { outputsOf, type Signature, type Train } from '@stoker/spec'
import type { ObjectStore } from '@stoker/storage'
import { ModelInput, ModelInvalid } from '../error-table.js'
import type { LayersModel } from '../load/tfjs.js'
import { activationOf } from '../objective/loss.js'
import type { Deferred, TrainingModel } from '../types.js'
import { assignWeights, freshLayers } from '../weights/assign.js'
import { type GivenWeights, readWeights } from '../weights/read-weights.js'
import { freezeLayers } from './freeze.js'
import { headsOf } from './heads.js'
import { LayersTraining } from './layers-training.js'
import { fieldsOfInputs, rolesOf } from './roles.js'
import type { LayersRuntime } from './runtime.js'
import { withSeededRandom } from './seeded-random.js'
import { type PreparedTopology, prepareTopology, type Topology } from './topology.js'

export interface LayersModelOptions {
  readonly train: Train
  readonly seed: number
  /** Where given weights lie. */
  readonly store: ObjectStore
  /** A checkpoint will be restored: weights to start from are not read. */
  readonly isResumed: boolean
  readonly fields: Signature
  readonly deferred: Deferred
}

/**
 * A Keras/tfjs topology, trained step by step. Same seed and batches, same losses.
 *
 * @throws ModelInvalid, ModelInput, WeightsUnfit, WeightsMissing
 */
export async function createLayersModel(runtime: LayersRuntime, options: LayersModelOptions): Promise<TrainingModel> {
  const { train, fields, deferred, seed, isResumed, store } = options
  const { model: spec } = train
  if (spec.kind !== 'layers') throw new Error('not a layers model')
  const roles = rolesOf(train, fields)
  const isRead = spec.weights !== undefined && !(isResumed && spec.topology)
  const given = isRead ? await readWeights(store, spec.weights as string) : undefined
  const topology = topologyOf(spec.topology, given)
  const prepared = prepare(train, topology)
  const model = await build(runtime, prepared, seed)
  try {
    if (given && !isResumed) assignWeights(runtime.tf, model, given, freshLayers(model, spec.fresh ?? []))
    if (spec.freeze) freezeLayers(model, spec.freeze)
    const inputs = fieldsOfInputs(roles, model.inputs.map(layerName), Array.isArray(train.features))
    checkInputs(model, inputs, fields)
    const outputs = model.outputs.map((output) => ({ name: layerName(output), shape: output.shape }))
    const heads = headsOf(roles, outputs, prepared.moved, fields, deferred)
    return new LayersTraining({ runtime, model, prepared, roles, inputs, heads, seed, deferred, train })
  } catch (error) {
    model.dispose()
    throw error
  }
}

/** Inputs and outputs are called as the layers they come from. */
const layerName = ({ sourceLayer }: LayersModel['inputs'][number]): string => sourceLayer.name

function topologyOf(topology: Topology | undefined, given: GivenWeights | undefined): Topology {
  const found = topology ?? given?.topology
  if (found) return found
  throw ModelInvalid(`the job gives no topology, and none lies with the weights at ${given?.uri}`).with({
    place: { path: 'train.model.topology' },
    remedy: 'give train.model.topology, or the folder of an exported model',
  })
}

const invalid = (error: unknown) =>
  ModelInvalid(error instanceof Error ? error.message : String(error)).with({
    cause: error,
    place: { path: 'train.model.topology' },
  })

function prepare(train: Train, topology: Topology): PreparedTopology {
  const outputs = outputsOf(train)
  try {
    return prepareTopology(topology, (name) => {
      const output = outputs.find((one) => one.name === undefined || one.name === name)
      return output?.loss && !output.loss.fromLogits ? activationOf(output.loss) : undefined
    })
  } catch (error) {
    throw invalid(error)
  }
}

async function build({ tf }: LayersRuntime, { trained }: PreparedTopology, seed: number): Promise<LayersModel> {
  try {
    // modelFromJSON makes layers and weights before it first waits.
    return await withSeededRandom(seed, 'weights', 0, () => tf.models.modelFromJSON(trained as never))
  } catch (error) {
    throw invalid(error)
  }
}

/** @throws ModelInput where a field cannot be what an input wants */
function checkInputs(model: LayersModel, inputs: readonly string[], fields: Signature): void {
  for (const [index, name] of inputs.entries()) {
    const wanted = model.inputs[index]?.shape.slice(1) ?? []
    const given = fields[name]?.shape ?? []
    const fits =
      wanted.length === given.length && wanted.every((dim, i) => dim === null || given[i] === null || dim === given[i])
    if (!fits) {
      throw ModelInput(`input ${index} takes [${wanted}], and field "${name}" is [${given}]`).with({
        place: { field: name },
      })
    }
  }
}
