import type { LayersModel } from '../load/tfjs.js'
import type { ModelFiles } from '../types.js'

/** The tfjs layers format: `tf.loadLayersModel` reads it in browsers and Node, and converters turn it into Keras files. */
export function exportLayers(model: LayersModel, topology: object): ModelFiles {
  const weights = model.weights.map((weight) => ({
    name: weight.originalName,
    shape: weight.shape as number[],
    values: weight.read().dataSync() as Float32Array,
  }))
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
