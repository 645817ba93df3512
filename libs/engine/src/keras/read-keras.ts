import { strFromU8, unzipSync } from 'fflate'
import { WeightsUnfit } from '../error-table.js'
import { isObject, toKeras2 } from '../model/keras3.js'
import { type Json, layersOf, type Topology } from '../model/topology.js'
import type { NamedWeights } from '../model/weight-file.js'
import { readHdf5 } from './hdf5.js'
import { weightPlaces } from './places.js'

/**
 * Topology and weights of a `.keras` file that Keras 3 wrote. A layer's weights are called `<layer>/<index>`, in the order
 * Keras lists them.
 *
 * @throws WeightsUnfit
 */
export async function readKerasFile(
  uri: string,
  bytes: Uint8Array,
): Promise<{ readonly weights: readonly NamedWeights[]; readonly topology: Topology }> {
  const unfit = (reason: string) => WeightsUnfit(uri, reason).with({ place: { path: 'train.model.weights' } })
  try {
    const files = unzipSync(bytes)
    const [config, weights] = [files['config.json'], files['model.weights.h5']]
    if (!config || !weights) throw unfit('it holds no config.json with model.weights.h5')
    const topology: unknown = JSON.parse(strFromU8(config))
    if (!isObject(topology) || typeof topology.class_name !== 'string') throw unfit('its config.json is no model')
    const arrays = new Map((await readHdf5(weights)).map((array) => [array.path.replace(/^\//, ''), array]))
    const named: NamedWeights[] = []
    for (const { group, path } of weightPlaces(toKeras2(topology) as Json)) {
      for (let index = 0; ; index++) {
        const array = arrays.get(`${group}/vars/${index}`)
        if (!array) break
        named.push({ name: `${path.at(-1)}/${index}`, shape: array.shape, values: array.values })
      }
    }
    if (layersOf(topology).length === 0) throw unfit('its model has no layers')
    return { weights: named, topology: topology as unknown as Topology }
  } catch (error) {
    if (WeightsUnfit.is(error)) throw error
    throw unfit(`it cannot be read: ${error instanceof Error ? error.message : error}`).with({ cause: error })
  }
}
