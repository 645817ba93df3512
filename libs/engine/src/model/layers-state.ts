import { CheckpointUnfit } from '../error-table.js'
import type { LayersModel, Tf } from '../load/tfjs.js'
import type { Optimizer, OptimizerState } from '../optimize/optimizer.js'
import type { ModelFiles } from '../types.js'
import { weightsOf } from './variables.js'
import { decodeWeights, encodeWeights, WEIGHT_FILE } from './weight-file.js'

// In a checkpoint: `weights.<index>.<name>` for each weight of the model, `<optimizer>.<slot>.<index>` for the optimiser's.

/** Everything that the next steps depend on, as files of a checkpoint. */
export function saveState(model: LayersModel, optimizer: string, state: OptimizerState, step: number): ModelFiles {
  const weights = weightsOf(model).map((weight, index) => ({ ...weight, name: `weights.${index}.${weight.name}` }))
  const slots = [...state.slots].map(([name, values]) => ({
    name: `${optimizer}.${name}`,
    shape: [values.length],
    values,
  }))
  const metadata = { optimizer, iterations: String(state.iterations), step: String(step) }
  return new Map([[WEIGHT_FILE, encodeWeights([...weights, ...slots], metadata)]])
}

/** Sets model and optimiser; returns the number of steps done. @throws CheckpointUnfit */
export function restoreState(
  tf: Tf,
  model: LayersModel,
  optimizer: string,
  target: Optimizer,
  files: ModelFiles,
): number {
  const { weights, metadata } = decodeWeights(files)
  if (metadata.optimizer !== optimizer)
    throw CheckpointUnfit(`it was trained by ${metadata.optimizer}, and the job says ${optimizer}`)
  const found = new Map(weights.map(({ name, values }) => [name, values]))
  const values = model.weights.map((weight, index) => {
    const value = found.get(`weights.${index}.${weight.originalName}`)
    const size = weight.shape.reduce<number>((product, dim) => product * (dim ?? 1), 1)
    if (value?.length !== size) throw CheckpointUnfit(`it has no ${weight.originalName} of shape [${weight.shape}]`)
    return value
  })
  tf.tidy(() => {
    for (const [index, weight] of model.weights.entries())
      weight.write(tf.tensor(values[index] as Float32Array, weight.shape as number[]))
  })
  const prefix = `${optimizer}.`
  const slots = weights.flatMap(({ name, values: slot }) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), slot] as const] : [],
  )
  target.restore({ iterations: Number(metadata.iterations), slots: new Map(slots) })
  return Number(metadata.step)
}

/** The model's weights alone, under the names of the topology. @throws CheckpointUnfit */
export function weightsOfCheckpoint(files: ModelFiles) {
  return decodeWeights(files).weights.flatMap((weight) => {
    const [, name] = /^weights\.\d+\.(.+)$/.exec(weight.name) ?? []
    return name === undefined ? [] : [{ ...weight, name }]
  })
}
