import { WeightsUnfit } from '../error-table.js'
import type { LayersModel, Tf } from '../load/tfjs.js'
import { allLayers, layersNamed } from '../model/freeze.js'
import type { GivenWeights } from './read-weights.js'

type Weight = LayersModel['weights'][number]

/** `<layer>/<index>`, as files call weights that have no names of their own; a nested model holds its layers'. */
const placesOf = (layer: LayersModel['layers'][number]): [Weight, string][] =>
  'layers' in layer ? [] : layer.weights.map((weight, index) => [weight, `${layer.name}/${index}`])

/** Weights of the layers that start anew. @throws ModelInput for a pattern that no layer fits */
export function freshLayers(model: LayersModel, patterns: readonly string[]): ReadonlySet<Weight> {
  const named = layersNamed(model, patterns, 'train.model.fresh')
  const layers = named.flatMap((layer) => [layer, ...allLayers((layer as { layers?: typeof named }).layers ?? [])])
  return new Set(layers.flatMap((layer) => layer.weights))
}

/**
 * Sets the model's weights, by name, to the given ones. The rest of what is given is left alone.
 *
 * @param fresh weights that keep their initial values
 * @throws WeightsUnfit for a weight that is not given, or in another shape
 */
export function assignWeights(tf: Tf, model: LayersModel, given: GivenWeights, fresh: ReadonlySet<Weight>): void {
  const found = new Map(given.weights.map((weight) => [weight.name, weight]))
  const byPlace = new Map(allLayers(model.layers).flatMap(placesOf))
  const wanted = model.weights.filter((weight) => !fresh.has(weight))
  tf.tidy(() => {
    for (const weight of wanted) {
      const { originalName: name, shape } = weight
      const one = found.get(name) ?? found.get(byPlace.get(weight) ?? '')
      const layer = name.slice(0, Math.max(0, name.lastIndexOf('/'))) || name
      const more = { place: { path: 'train.model.weights' } }
      if (!one) {
        throw WeightsUnfit(given.uri, `it has no "${name}", only ${listed([...found.keys()])}`).with({
          ...more,
          remedy: `name the layers as they are there, or list "${layer}" in train.model.fresh`,
        })
      }
      if (one.shape.length !== shape.length || one.shape.some((dim, at) => dim !== shape[at])) {
        throw WeightsUnfit(given.uri, `"${name}" is [${one.shape}] there and [${shape}] in the model`).with({
          ...more,
          remedy: `give layer "${layer}" that shape, or list it in train.model.fresh so that it starts anew`,
        })
      }
      weight.write(tf.tensor(one.values, [...one.shape]))
    }
  })
}

const MOST_LISTED = 12
const listed = (names: readonly string[]): string =>
  names.length > MOST_LISTED ? `${names.slice(0, MOST_LISTED).join(', ')}, ...` : names.join(', ') || 'none'
