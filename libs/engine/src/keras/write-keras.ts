import { strToU8, zipSync } from 'fflate'
import { ExportUnfit } from '../error-table.js'
import type { LayersModel } from '../load/tfjs.js'
import { isObject } from '../model/keras3.js'
import type { Json } from '../model/topology.js'
import { type Hdf5Array, writeHdf5 } from './hdf5.js'
import { modelClass, type WeightPlace, weightPlaces } from './places.js'

/** Name of the file among those of a model. */
export const KERAS_FILE = 'model.keras'

type Layer = LayersModel['layers'][number]

/**
 * The model as a `.keras` file, which `keras.saving.load_model` of Keras 3 reads: a ZIP of metadata.json, config.json and
 * model.weights.h5 (keras/src/saving/saving_lib.py). Not compiled: the optimiser's state stays in the checkpoints. The same
 * weights give the same bytes.
 *
 * @param topology in the form of Keras 2, which Keras 3 reads layer by layer
 * @throws ExportUnfit for layers that Keras 3 would compute in another way
 */
export async function writeKerasFile(model: LayersModel, topology: Json): Promise<Uint8Array> {
  const arrays: Hdf5Array[] = []
  for (const place of weightPlaces(topology)) {
    refuse(place)
    const layer = layerAt(model.layers, place.path)
    for (const [index, weight] of (layer?.weights ?? []).entries()) {
      arrays.push({
        path: `${place.group}/vars/${index}`,
        shape: weight.shape as number[],
        values: weight.read().dataSync() as Float32Array,
      })
    }
  }
  const class_name = modelClass(String(topology.class_name))
  const { config: forKeras } = forKeras3(topology) as Json
  const module = class_name === 'Sequential' ? 'keras' : 'keras.src.models.functional'
  const config = { module, class_name, config: forKeras, registered_name: class_name }
  const files = {
    'metadata.json': strToU8(JSON.stringify({ keras_version: '3.0.0', generated_by: 'Stoker' })),
    'config.json': strToU8(JSON.stringify(config)),
    'model.weights.h5': await writeHdf5(arrays),
  }
  // Stored as they are: weights do not compress. The date is ZIP's first one.
  return zipSync(files, { level: 0, mtime: '1980-01-01T00:00:00' })
}

function layerAt(layers: readonly Layer[], path: readonly string[]): Layer | undefined {
  const [name, ...rest] = path
  const found = layers.find((layer) => layer.name === name)
  return rest.length === 0 ? found : layerAt((found as { layers?: Layer[] } | undefined)?.layers ?? [], rest)
}

const NESTED = /^(Bidirectional|TimeDistributed|StackedRNNCells|RNN|ConvLSTM2D)$/

function refuse({ className, config, path }: WeightPlace): void {
  const layer = path.join('/')
  const remedy = 'export it as tfjs, or change the layer'
  if (NESTED.test(className)) throw ExportUnfit(layer, `${className} has no place in it yet`).with({ remedy })
  const isGated = className === 'LSTM' || className === 'GRU'
  const gates = config.recurrent_activation ?? (isGated ? 'hard_sigmoid' : undefined)
  if (gates === 'hard_sigmoid' || config.activation === 'hard_sigmoid') {
    throw ExportUnfit(layer, 'hard_sigmoid is another function in Keras 3 than in tfjs').with({
      remedy: isGated ? 'give the layer "recurrent_activation": "sigmoid"' : remedy,
    })
  }
}

/** Ends of a graph as Keras 3 writes them, and defaults that differ between tfjs and Keras 3, at every level. */
function forKeras3(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(forKeras3)
  if (!isObject(value)) return value
  const result: Json = {}
  for (const [key, inner] of Object.entries(value)) {
    const isEnd = (key === 'input_layers' || key === 'output_layers') && Array.isArray(inner)
    result[key] = isEnd && inner.length === 1 ? inner[0] : forKeras3(inner)
  }
  if (typeof value.class_name === 'string') result.class_name = modelClass(value.class_name)
  if (!isObject(result.config)) return result
  if (value.class_name === 'GRU') result.config = { reset_after: false, ...result.config }
  else if (value.class_name === 'Sequential') result.config = withInputLayer(result.config)
  return result
}

/** tfjs says the shape of the input at the first layer; Keras 3 wants a layer for it. */
function withInputLayer(config: Json): Json {
  const [first, ...rest] = Array.isArray(config.layers) ? config.layers.filter(isObject) : []
  if (!isObject(first?.config) || first.class_name === 'InputLayer') return config
  const { batch_input_shape, ...own } = first.config
  if (batch_input_shape === undefined) return config
  const input = { class_name: 'InputLayer', config: { batch_input_shape, name: `${own.name}_input` } }
  return { ...config, layers: [input, { ...first, config: own }, ...rest] }
}
