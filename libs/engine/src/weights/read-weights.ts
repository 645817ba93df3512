import { joinUri, ObjectMissing, type ObjectStore } from '@stoker/storage'
import { listCheckpoints, readCheckpoint } from '../checkpoint/checkpoints.js'
import { MANIFEST } from '../checkpoint/manifest.js'
import { WeightsMissing, WeightsUnfit } from '../error-table.js'
import { readKerasFile } from '../keras/read-keras.js'
import { weightsOfCheckpoint } from '../model/layers-state.js'
import type { Topology } from '../model/topology.js'
import type { NamedWeights } from '../model/weight-file.js'
import { readTfjsModel } from './read-tfjs.js'

/** Weights to start from. */
export interface GivenWeights {
  /** Where they were found. */
  readonly uri: string
  readonly weights: readonly NamedWeights[]
  /** Of a model file; a checkpoint has none. */
  readonly topology?: Topology
}

const place = { path: 'train.model.weights' }

/**
 * Reads weights from a `.keras` file, the folder of a tfjs layers model, a checkpoint, a folder of checkpoints (the newest),
 * or the folder of a job (its model, else its newest checkpoint).
 *
 * @throws WeightsMissing, WeightsUnfit, CheckpointCorrupt
 */
export async function readWeights(store: ObjectStore, uri: string): Promise<GivenWeights> {
  const root = uri.replace(/(?<=[^/])\/+$/, '')
  if (root.endsWith('.keras')) {
    const bytes = await ifThere(store.readAll(root))
    if (!bytes) throw WeightsMissing(uri).with({ place })
    return { uri: root, ...(await readKerasFile(root, bytes)) }
  }
  for (const folder of [root, joinUri(root, 'model')]) {
    const model = await ifThere(store.readAll(joinUri(folder, 'model.json')))
    if (model) return { uri: folder, ...(await readTfjsModel(store, folder, model)) }
  }
  const checkpoint = await checkpointAt(store, root)
  if (checkpoint !== undefined) {
    const { files } = await readCheckpoint(store, checkpoint)
    return { uri: checkpoint, weights: weightsOfCheckpoint(files) }
  }
  if (await ifThere(store.stat(joinUri(root, 'saved_model.pb')))) {
    throw WeightsUnfit(uri, 'it is a SavedModel, whose variables have no names that a layers model knows').with({
      place,
      remedy: 'give it as a model of kind savedModel, or save the model as a .keras file in Python',
    })
  }
  throw WeightsMissing(uri).with({ place })
}

/** URI of a checkpoint: the folder itself, or the newest one below it or below its `checkpoints`. */
export async function checkpointAt(store: ObjectStore, root: string): Promise<string | undefined> {
  if (await ifThere(store.stat(joinUri(root, MANIFEST)))) return root
  for (const prefix of [joinUri(root, 'checkpoints'), root]) {
    const [newest] = await listCheckpoints(store, prefix)
    if (newest !== undefined) return newest
  }
  return undefined
}

async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (ObjectMissing.is(error)) return undefined
    throw error
  }
}
