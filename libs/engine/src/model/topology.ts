/** Keras model JSON: `{class_name, config}`. */
export interface Topology {
  readonly class_name: string
  readonly config?: unknown
}

type Json = { [key: string]: unknown }
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

export interface PreparedTopology {
  /** For export: what the user gave, in the form tfjs reads. */
  readonly original: Json
  /** For training. */
  readonly trained: Json
  /** The softmax of the output layer was left to the loss: outputs are logits. */
  readonly givesLogits: boolean
}

/**
 * Readies a topology for training. A softmax at the output moves into the loss, as Keras does: one stable, fused kernel
 * instead of exp, clip and log; the class of the largest output stays the same. Seeds of dropout layers are dropped,
 * since tfjs would draw the same mask in every step; the job's seed decides.
 */
export function prepareTopology(topology: Topology, options: { moveSoftmax: boolean }): PreparedTopology {
  const original = toTfjs(topology) as Json
  const trained = structuredClone(original)
  for (const layer of layersOf(trained)) {
    const config = layer.config
    if (isObject(config) && /Dropout|Noise/.test(String(layer.class_name))) delete config.seed
  }
  return { original, trained, givesLogits: options.moveSoftmax && dropSoftmax(trained) }
}

function layersOf(model: Json): Json[] {
  const { config } = model
  const listed = Array.isArray(config) ? config : isObject(config) && Array.isArray(config.layers) ? config.layers : []
  return listed.filter(isObject)
}

/** Makes the output layer's activation linear when it is softmax and nothing else reads that layer. */
function dropSoftmax(model: Json): boolean {
  const layers = layersOf(model)
  const { config } = model
  let output = layers.at(-1)
  if (isObject(config) && Array.isArray(config.output_layers)) {
    if (config.output_layers.length !== 1) return false
    const [name] = config.output_layers[0] as unknown[]
    output = layers.find((layer) => layer.name === name)
    const isReadElsewhere = layers.some((layer) =>
      JSON.stringify(layer.inbound_nodes ?? []).includes(JSON.stringify(name)),
    )
    if (isReadElsewhere) return false
  }
  if (!isObject(output?.config) || output.config.activation !== 'softmax') return false
  output.config.activation = 'linear'
  return true
}

/** Keras 3 spells a few things in ways that tfjs does not read: dtype policies, `batch_shape`, module names. */
function toTfjs(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toTfjs)
  if (!isObject(value)) return value
  if (value.class_name === 'DTypePolicy' && isObject(value.config)) return value.config.name
  const result: Json = {}
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'registered_name' || key === 'module' || key === 'build_config') continue
    result[key === 'batch_shape' ? 'batch_input_shape' : key] = toTfjs(inner)
  }
  return result
}
