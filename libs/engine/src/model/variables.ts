import type { LayersModel, Variable } from '../load/tfjs.js'
import type { Trainable } from '../optimize/optimizer.js'
import type { NamedWeights } from './weight-file.js'

/** The weights that steps change, in the model's order. */
export const trainables = (model: LayersModel): Trainable[] =>
  // LayerVariable keeps its tf.Variable in `val`, which the types leave out.
  model.trainableWeights.map((weight) => ({
    variable: (weight as unknown as { val: Variable }).val,
    name: weight.originalName,
  }))

/** Copies of all weights, trained or not, under the names of the topology such as `hidden/kernel`. */
export const weightsOf = (model: LayersModel): NamedWeights[] =>
  model.weights.map((weight) => ({
    name: weight.originalName,
    shape: weight.shape as number[],
    values: weight.read().dataSync() as Float32Array,
  }))
