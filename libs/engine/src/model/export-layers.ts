import type { ModelFormat } from '@stoker/spec'
import { KERAS_FILE, writeKerasFile } from '../keras/write-keras.js'
import type { LayersModel } from '../load/tfjs.js'
import type { ModelFiles } from '../types.js'
import type { Json } from './topology.js'
import { weightsOf } from './variables.js'

/** @throws ExportUnfit */
export async function exportLayers(
  model: LayersModel,
  topology: Json,
  formats: readonly ModelFormat[],
): Promise<ModelFiles> {
  const files = new Map<string, Uint8Array>()
  if (formats.includes('tfjs')) for (const [name, bytes] of tfjsFiles(model, topology)) files.set(name, bytes)
  if (formats.includes('keras')) files.set(KERAS_FILE, await writeKerasFile(model, topology))
  return files
}

/** The tfjs layers format: `tf.loadLayersModel` reads it in browsers and Node. */
function tfjsFiles(model: LayersModel, topology: object): ModelFiles {
  const weights = weightsOf(model)
  const description = {
    format: 'layers-model',
    generatedBy: 'Stoker',
    convertedBy: null,
    modelTopology: topology,
    weightsManifest: [
      { paths: ['weights.bin'], weights: weights.map(({ name, shape }) => ({ name, shape, dtype: 'float32' })) },
    ],
  }
  const bytes = new Uint8Array(weights.reduce((sum, { values }) => sum + values.byteLength, 0))
  let at = 0
  for (const { values } of weights) {
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at)
    at += values.byteLength
  }
  return new Map([
    ['model.json', new Uint8Array(new TextEncoder().encode(JSON.stringify(description)))],
    ['weights.bin', bytes],
  ])
}
