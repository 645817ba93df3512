type Json = { [key: string]: unknown }
export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isTensor = (value: unknown): value is Json => isObject(value) && value.class_name === '__keras_tensor__'

/**
 * Model JSON in the form that tfjs reads, which is Keras 2's. Keras 3 writes dtype policies, `batch_shape`, module names,
 * and nodes as calls with arguments (`{args, kwargs}`) in place of nested lists.
 *
 * @throws Error for what tfjs cannot express
 */
export function toKeras2(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toKeras2)
  if (!isObject(value)) return value
  if (value.class_name === 'DTypePolicy' && isObject(value.config)) return value.config.name
  // tfjs knows the regulariser of both norms alone.
  if ((value.class_name === 'L1' || value.class_name === 'L2') && isObject(value.config))
    return { class_name: 'L1L2', config: { l1: 0, l2: 0, ...value.config } }
  const result: Json = {}
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'registered_name' || key === 'module' || key === 'build_config') continue
    if (key === 'inbound_nodes') result[key] = nodesOf(inner, String(value.name ?? value.class_name))
    else if (key === 'input_layers' || key === 'output_layers') result[key] = endsOf(inner)
    else result[key === 'batch_shape' ? 'batch_input_shape' : key] = toKeras2(inner)
  }
  return isObject(result.config) ? { ...result, config: layerConfig(String(result.class_name), result.config) } : result
}

function nodesOf(nodes: unknown, layer: string): unknown {
  if (!Array.isArray(nodes)) return []
  return nodes.map((node: unknown) =>
    isObject(node) && Array.isArray(node.args) ? callOf(node, layer) : toKeras2(node),
  )
}

/** One call of a layer: its tensors as `[layer, node, tensor, kwargs]`. */
function callOf({ args, kwargs }: Json, layer: string): unknown[] {
  const [first, ...more] = args as unknown[]
  const tensors = Array.isArray(first) ? first : [first]
  // `training` is what the graph was traced with, not what a call is to use.
  const given = Object.entries(isObject(kwargs) ? kwargs : {}).filter(
    ([name, value]) => value !== null && name !== 'training',
  )
  if (more.length > 0 || !tensors.every(isTensor) || given.some(([, value]) => isTensor(value))) {
    throw new Error(`layer "${layer}" is called with more than one list of tensors, which tfjs cannot express`)
  }
  return tensors.map((tensor) => {
    const history = isObject(tensor.config) ? tensor.config.keras_history : undefined
    if (!Array.isArray(history)) throw new Error(`layer "${layer}" is called with a tensor without history`)
    return [...history.slice(0, 3), Object.fromEntries(given)]
  })
}

/** One end is `["x", 0, 0]` in Keras 3, several are a list or a mapping of such. */
function endsOf(ends: unknown): unknown[] {
  if (isObject(ends)) return Object.values(ends)
  if (!Array.isArray(ends)) return []
  return typeof ends[0] === 'string' ? [ends] : ends
}

/** Parameters that changed their name, or that tfjs would silently leave out. */
function layerConfig(className: string, config: Json): Json {
  const { negative_slope: slope, ...rest } = config
  if (className === 'LeakyReLU' && slope !== undefined) return { ...rest, alpha: slope }
  if (className === 'BatchNormalization' && Array.isArray(config.axis) && config.axis.length === 1)
    return { ...config, axis: config.axis[0] }
  if (typeof config.groups === 'number' && config.groups > 1)
    throw new Error(`${className} "${config.name}" has ${config.groups} groups, and tfjs knows one`)
  if (className === 'ReLU' && slope)
    throw new Error(`ReLU "${config.name}" has a slope below zero, which tfjs does not compute: use LeakyReLU`)
  return config
}
