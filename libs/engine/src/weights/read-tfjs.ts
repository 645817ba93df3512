import { joinUri, type ObjectStore } from '@stoker/storage'
import { WeightsUnfit } from '../error-table.js'
import { isObject } from '../model/keras3.js'
import type { Topology } from '../model/topology.js'
import type { NamedWeights } from '../model/weight-file.js'

interface Group {
  readonly paths: readonly string[]
  readonly weights: readonly { readonly name: string; readonly shape: readonly number[]; readonly dtype: string }[]
}

/**
 * A tfjs layers model: `model.json` holds topology and a manifest; each group of the manifest names files that hold its
 * weights one after the other, float32, little-endian (github.com/tensorflow/tfjs, tfjs-core/src/io/types.ts).
 *
 * @throws WeightsUnfit
 */
export async function readTfjsModel(
  store: ObjectStore,
  folder: string,
  model: Uint8Array,
): Promise<{ readonly weights: readonly NamedWeights[]; readonly topology?: Topology }> {
  const unfit = (reason: string) => WeightsUnfit(folder, reason).with({ place: { path: 'train.model.weights' } })
  let document: unknown
  try {
    document = JSON.parse(Buffer.from(model).toString('utf8'))
  } catch (error) {
    throw unfit('model.json is no JSON').with({ cause: error })
  }
  const { weightsManifest, modelTopology, format } = isObject(document) ? document : {}
  if (!Array.isArray(weightsManifest)) throw unfit('model.json has no weightsManifest')
  if (format === 'graph-model') throw unfit('it is a tfjs graph model, which cannot be trained further')
  const weights: NamedWeights[] = []
  for (const { paths, weights: listed } of weightsManifest as Group[]) {
    const parts: Uint8Array[] = []
    for (const path of paths) parts.push(await store.readAll(joinUri(folder, ...path.split('/'))))
    const bytes = Buffer.concat(parts)
    let at = 0
    for (const { name, shape, dtype, ...more } of listed) {
      if (dtype !== 'float32' || 'quantization' in more)
        throw unfit(`"${name}" is ${'quantization' in more ? 'quantised' : dtype}, not float32`)
      const size = 4 * shape.reduce((product, dim) => product * dim, 1)
      if (at + size > bytes.length) throw unfit(`${paths.join(', ')} ends before "${name}"`)
      weights.push({ name, shape, values: new Float32Array(new Uint8Array(bytes.subarray(at, at + size)).buffer) })
      at += size
    }
  }
  return { weights, ...(topologyIn(modelTopology) ?? {}) }
}

/** Keras writes `{model_config: {class_name, config}}`, tfjs the inner part alone. */
function topologyIn(value: unknown): { topology: Topology } | undefined {
  const inner = isObject(value) && isObject(value.model_config) ? value.model_config : value
  return isObject(inner) && typeof inner.class_name === 'string'
    ? { topology: inner as unknown as Topology }
    : undefined
}
