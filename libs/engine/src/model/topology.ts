import { isObject, toKeras2 } from './keras3.js'

/** Keras model JSON: `{class_name, config}`. */
export interface Topology {
  readonly class_name: string
  readonly config?: unknown
}

export type Json = { [key: string]: unknown }

export interface PreparedTopology {
  /** What the user gave, in the form tfjs reads: for export. */
  readonly original: Json
  /** For training. */
  readonly trained: Json
  /** Outputs whose activation was left to the loss, by index: they give logits. */
  readonly moved: ReadonlySet<number>
}

/** The activation that each output's loss undoes, in the order of the model's outputs; undefined where none. */
export type MovableActivations = (output: string, index: number) => 'softmax' | 'sigmoid' | undefined

/**
 * Readies a topology for training. A softmax or sigmoid at an output moves into the loss, as Keras does: one stable, fused
 * kernel instead of exp, clip and log. Seeds of dropout layers are dropped, since tfjs would draw the same mask in every
 * step; the job's seed decides.
 *
 * @throws Error for what tfjs cannot express
 */
export function prepareTopology(topology: Topology, movable: MovableActivations): PreparedTopology {
  const original = toKeras2(topology) as Json
  const trained = structuredClone(original)
  for (const layer of layersOf(trained)) {
    const config = layer.config
    if (isObject(config) && /Dropout|Noise/.test(String(layer.class_name))) delete config.seed
  }
  const outputs = outputLayers(trained)
  const moved = outputs.flatMap((layer, index) => {
    const activation = movable(String(nameOf(layer)), index)
    const isTwice = outputs.indexOf(layer) !== outputs.lastIndexOf(layer)
    return activation && !isTwice && dropActivation(trained, layer, activation) ? [index] : []
  })
  return { original, trained, moved: new Set(moved) }
}

export function layersOf(model: Json): Json[] {
  const { config } = model
  const listed = Array.isArray(config) ? config : isObject(config) && Array.isArray(config.layers) ? config.layers : []
  return listed.filter(isObject)
}

const nameOf = ({ name, config }: Json): unknown => name ?? (isObject(config) ? config.name : undefined)

function outputLayers(model: Json): Json[] {
  const layers = layersOf(model)
  const { config } = model
  if (!isObject(config) || !Array.isArray(config.output_layers)) return layers.slice(-1)
  return config.output_layers.map((end: unknown) => {
    const name = Array.isArray(end) ? end[0] : end
    return layers.find((layer) => nameOf(layer) === name) ?? {}
  })
}

/** Makes a layer's activation linear when it is the one asked for and nothing else reads the layer. */
function dropActivation(model: Json, output: Json, activation: string): boolean {
  const name = JSON.stringify(nameOf(output))
  const isRead = layersOf(model).some((layer) => JSON.stringify(layer.inbound_nodes ?? []).includes(name))
  if (isRead || !isObject(output.config) || output.config.activation !== activation) return false
  output.config.activation = 'linear'
  return true
}
