import { ModelInput } from '../error-table.js'
import type { LayersModel } from '../load/tfjs.js'

type Layer = LayersModel['layers'][number]

/** All layers, those of nested models and wrappers too. */
export function allLayers(layers: readonly Layer[]): Layer[] {
  return layers.flatMap((layer) => [layer, ...allLayers((layer as { layers?: Layer[] }).layers ?? [])])
}

/** Whether a name is one of the patterns; `*` stands for any characters. */
export function namePattern(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[.+?^${}()|[\]\\/]/g, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`)
}

/** Layers whose name fits one of the patterns. @throws ModelInput for a pattern that none fits */
export function layersNamed(model: LayersModel, patterns: readonly string[], path: string): Layer[] {
  const layers = allLayers(model.layers)
  return patterns.flatMap((pattern) => {
    const test = namePattern(pattern)
    const found = layers.filter(({ name }) => test.test(name))
    if (found.length > 0) return found
    const known = layers.map(({ name }) => name).join(', ')
    throw ModelInput(`no layer is called "${pattern}"; there are ${known}`).with({
      place: { path },
      remedy: `correct the name in ${path}`,
    })
  })
}

/** Their weights stay as they are; frozen batch normalisation uses its moving averages and leaves them, as in Keras. */
export function freezeLayers(model: LayersModel, patterns: readonly string[]): void {
  for (const layer of layersNamed(model, patterns, 'train.model.freeze')) {
    for (const one of [layer, ...allLayers((layer as { layers?: Layer[] }).layers ?? [])]) {
      one.trainable = false
      if (one.getClassName() !== 'BatchNormalization') continue
      const call = one.call.bind(one)
      one.call = (inputs, kwargs) => call(inputs, { ...kwargs, training: false })
    }
  }
}
