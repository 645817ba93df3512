import { isObject } from '../model/keras3.js'
import type { Json } from '../model/topology.js'

interface Node {
  readonly layer: string
  readonly parents: readonly string[]
}

/**
 * The order in which Keras 3 lists the layers of a graph: falling depth, which is the longest way to an output, then the
 * order of a depth-first walk from the outputs (keras/src/ops/function.py, `map_graph`). A Sequential keeps its order.
 *
 * @param model in the form of Keras 2: nodes are lists of `[layer, node, tensor, kwargs]`
 */
export function operationOrder(model: Json, layers: readonly Json[]): Json[] {
  const config = isObject(model.config) ? model.config : {}
  if (!Array.isArray(config.output_layers)) return [...layers]
  const byName = new Map(layers.map((layer) => [nameOf(layer), layer]))
  const key = (end: unknown): string => {
    const [name, index] = end as [string, number]
    // Nested models start out with a node of their own.
    const own = byName.get(name)
    const offset = isObject(own?.config) && Array.isArray(own.config.layers) ? 1 : 0
    return `${name}#${Math.max(0, index - offset)}`
  }
  const nodes = new Map<string, Node>()
  for (const layer of layers) {
    const calls = Array.isArray(layer.inbound_nodes) ? layer.inbound_nodes : []
    const name = nameOf(layer)
    if (calls.length === 0) nodes.set(`${name}#0`, { layer: name, parents: [] })
    for (const [at, call] of calls.entries()) {
      nodes.set(`${name}#${at}`, { layer: name, parents: (call as unknown[]).map(key) })
    }
  }
  const { walked, seen } = walk(nodes, config.output_layers.map(key))
  const depths = depthsOf(nodes, walked)
  return [...layers]
    .map((layer) => ({ layer, depth: depths.get(nameOf(layer)) ?? 0, at: seen.get(nameOf(layer)) ?? -1 }))
    .sort((a, b) => b.depth - a.depth || a.at - b.at)
    .map(({ layer }) => layer)
}

const nameOf = (layer: Json): string => String(layer.name ?? (isObject(layer.config) ? layer.config.name : ''))

/** Nodes from inputs to outputs, and each layer's place in the walk. */
function walk(nodes: ReadonlyMap<string, Node>, ends: readonly string[]) {
  const walked = new Set<string>()
  const seen = new Map<string, number>()
  const visit = (id: string): void => {
    const node = nodes.get(id)
    if (!node || walked.has(id)) return
    if (!seen.has(node.layer)) seen.set(node.layer, seen.size)
    for (const parent of node.parents) visit(parent)
    walked.add(id)
  }
  for (const end of ends) visit(end)
  return { walked, seen }
}

function depthsOf(nodes: ReadonlyMap<string, Node>, walked: ReadonlySet<string>): Map<string, number> {
  const ofNode = new Map<string, number>()
  const ofLayer = new Map<string, number>()
  for (const id of [...walked].reverse()) {
    const node = nodes.get(id)
    if (!node) continue
    const depth = Math.max(ofNode.get(id) ?? 0, ofLayer.get(node.layer) ?? 0)
    ofNode.set(id, depth)
    ofLayer.set(node.layer, depth)
    for (const parent of node.parents) ofNode.set(parent, Math.max(depth + 1, ofNode.get(parent) ?? 0))
  }
  return ofLayer
}
