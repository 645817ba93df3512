import { isObject } from '../model/keras3.js'
import { type Json, layersOf } from '../model/topology.js'
import { operationOrder } from './operation-order.js'

/** A layer of a model and the group of `model.weights.h5` that holds its variables. */
export interface WeightPlace {
  /** Such as `layers/dense_1`; its variables are `<group>/vars/0`, `<group>/vars/1`, ... */
  readonly group: string
  /** Names from the outermost nested model down to the layer. */
  readonly path: readonly string[]
  readonly className: string
  readonly config: Json
}

/**
 * Where Keras 3 looks for each layer's variables (keras/src/saving/saving_lib.py): layers are named by their class in snake
 * case, with a number from the second one on, in the order in which Keras lists a model's layers; those of a nested model
 * lie in its own `layers`, those of a recurrent layer in its cell.
 */
export function weightPlaces(model: Json, prefix = '', path: readonly string[] = []): WeightPlace[] {
  const used = new Map<string, number>()
  return operationOrder(model, layersOf(model)).flatMap((layer): WeightPlace[] => {
    const config = isObject(layer.config) ? layer.config : {}
    const isModel = Array.isArray(config.layers)
    const className = modelClass(String(layer.class_name))
    const base = snakeCase(className)
    const count = used.get(base) ?? 0
    used.set(base, count + 1)
    const group = `${prefix}layers/${count === 0 ? base : `${base}_${count}`}`
    const own = [...path, String(layer.name ?? config.name)]
    if (isModel) return weightPlaces(layer, `${group}/`, own)
    const isRecurrent = /^(LSTM|GRU|SimpleRNN)$/.test(className)
    return [{ group: isRecurrent ? `${group}/cell` : group, path: own, className, config }]
  })
}

/** Keras 3 has no class `Model` for graphs of layers. */
export const modelClass = (name: string): string => (name === 'Model' ? 'Functional' : name)

/** keras.src.utils.naming.to_snake_case */
function snakeCase(name: string): string {
  return name
    .replace(/\W+/g, '')
    .replace(/(.)([A-Z][a-z]+)/g, '$1_$2')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
}
