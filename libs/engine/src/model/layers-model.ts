import type { DType, Signature, Train } from '@stoker/spec'
import { CheckpointUnfit, ModelInput, ModelInvalid } from '../error-table.js'
import { forgetTape, type LayersModel, type Tensor, type Variable } from '../load/tfjs.js'
import type { DecodedBatch, Deferred, EvaluateResult, ModelFiles, StepResult, TrainingModel } from '../types.js'
import { exportLayers } from './export-layers.js'
import { accuracyOf, type LossName, lossOf } from './loss.js'
import { finalDtype, type Roles, recordsOf, rolesOf, stepError, tensorOf } from './roles.js'
import type { LayersRuntime, Optimizer, OptimizerSpec } from './runtime.js'
import { withSeededRandom } from './seeded-random.js'
import { type PreparedTopology, prepareTopology, type Topology } from './topology.js'
import { decodeWeights, encodeWeights, WEIGHT_FILE } from './weight-file.js'

// As Keras.
const LEARNING_RATE = { sgd: 0.01, adam: 0.001 } as const

export interface LayersModelOptions {
  readonly topology: Topology
  readonly train: Train
  readonly seed: number
  readonly fields: Signature
  readonly deferred: Deferred
}

/** A Keras/tfjs topology, trained step by step. Same seed and batches, same losses. */
export async function createLayersModel(runtime: LayersRuntime, options: LayersModelOptions): Promise<TrainingModel> {
  const { train, fields, deferred, seed } = options
  const roles = rolesOf(train, fields)
  const loss = train.loss ?? defaultLoss(fields[roles.label]?.dtype)
  const prepared = prepareTopology(options.topology, { moveSoftmax: loss !== 'meanSquaredError' })
  let model: LayersModel
  try {
    // modelFromJSON makes layers and weights before it first waits.
    const making = withSeededRandom(seed, 'weights', 0, () =>
      runtime.tf.models.modelFromJSON(prepared.trained as never),
    )
    model = await making
  } catch (error) {
    throw ModelInvalid(error instanceof Error ? error.message : String(error)).with({
      cause: error,
      place: { path: 'train.model.topology' },
    })
  }
  checkShapes(model, roles, fields)
  const { type = 'adam', learningRate } = train.optimizer ?? {}
  const optimizer = { type, learningRate: learningRate ?? LEARNING_RATE[type] }
  const hasAccuracy = train.metrics ? train.metrics.includes('accuracy') : loss !== 'meanSquaredError'
  return new LayersTraining({ runtime, model, prepared, roles, loss, hasAccuracy, seed, deferred, optimizer })
}

const defaultLoss = (label: DType | 'string' | undefined): LossName =>
  label === 'float32' || label === 'float64' ? 'meanSquaredError' : 'sparseCategoricalCrossentropy'

/** @throws ModelInput where a field cannot be what an input wants */
function checkShapes(model: LayersModel, { features }: Roles, fields: Signature): void {
  const { inputs } = model
  if (inputs.length !== features.length) {
    throw ModelInput(`the model has ${inputs.length} inputs, and the features are ${features.join(', ')}`)
  }
  for (const [index, name] of features.entries()) {
    const wanted = inputs[index]?.shape.slice(1) ?? []
    const given = fields[name]?.shape ?? []
    const fits =
      wanted.length === given.length && wanted.every((dim, i) => dim === null || given[i] === null || dim === given[i])
    if (!fits) {
      throw ModelInput(`input ${index} takes [${wanted}], and field "${name}" is [${given}]`).with({
        place: { field: name },
      })
    }
  }
}

interface Parts {
  readonly runtime: LayersRuntime
  readonly model: LayersModel
  readonly prepared: PreparedTopology
  readonly roles: Roles
  readonly loss: LossName
  readonly hasAccuracy: boolean
  readonly seed: number
  readonly deferred: Deferred
  readonly optimizer: OptimizerSpec
}

class LayersTraining implements TrainingModel {
  readonly #parts: Parts
  readonly #variables: readonly Variable[]
  readonly #optimizer: Optimizer
  #step = 0
  #isDisposed = false

  constructor(parts: Parts) {
    this.#parts = parts
    // LayerVariable keeps its tf.Variable in `val`, which the types leave out.
    this.#variables = parts.model.trainableWeights.map((weight) => (weight as unknown as { val: Variable }).val)
    this.#optimizer = parts.runtime.createOptimizer(parts.optimizer, this.#variables)
  }

  async trainStep(batch: DecodedBatch): Promise<StepResult> {
    const { runtime, seed } = this.#parts
    const { tf } = runtime
    return this.#guarded(() =>
      withSeededRandom(seed, 'step', this.#step, () => {
        let result: StepResult | undefined
        tf.tidy(() => {
          const [inputs, label] = this.#upload(batch)
          const output: Tensor[] = []
          try {
            const { value, grads } = tf.variableGrads(() => {
              // Kept, for the accuracy: variableGrads disposes of all it makes but the gradients.
              output[0] = tf.keep(this.#forward(inputs, true))
              return this.#loss(output[0], label)
            }, [...this.#variables])
            this.#optimizer.apply(this.#variables.map(({ name }) => grads[name] as Tensor))
            result = this.#read(value, output[0] as Tensor, label)
          } catch (error) {
            forgetTape(tf)
            throw error
          } finally {
            output[0]?.dispose()
          }
        })
        this.#step++
        return result as StepResult
      }),
    )
  }

  async evaluate(batch: DecodedBatch): Promise<EvaluateResult> {
    const { runtime, roles } = this.#parts
    return this.#guarded(() => {
      let result: StepResult | undefined
      runtime.tf.tidy(() => {
        const [inputs, label] = this.#upload(batch)
        const output = this.#forward(inputs, false)
        result = this.#read(this.#loss(output, label), output, label)
      })
      return { ...(result as StepResult), records: recordsOf(batch, roles.label) }
    })
  }

  async save(): Promise<ModelFiles> {
    const { model, optimizer } = this.#parts
    const { iterations, slots } = this.#optimizer.state()
    const weights = model.weights.map((weight, index) => ({
      name: `weights.${index}.${weight.originalName}`,
      shape: weight.shape as number[],
      values: weight.read().dataSync() as Float32Array,
    }))
    const state = [...slots].map(([name, values]) => ({
      name: `${optimizer.type}.${name}`,
      shape: [values.length],
      values,
    }))
    const metadata = { optimizer: optimizer.type, iterations: String(iterations), step: String(this.#step) }
    return new Map([[WEIGHT_FILE, encodeWeights([...weights, ...state], metadata)]])
  }

  async restore(files: ModelFiles): Promise<void> {
    const { runtime, model, optimizer } = this.#parts
    const { weights, metadata } = decodeWeights(files)
    if (metadata.optimizer !== optimizer.type) {
      throw CheckpointUnfit(`it was trained by ${metadata.optimizer}, and the job says ${optimizer.type}`)
    }
    const found = new Map(weights.map(({ name, values }) => [name, values]))
    const values = model.weights.map((weight, index) => {
      const value = found.get(`weights.${index}.${weight.originalName}`)
      const size = weight.shape.reduce<number>((product, dim) => product * (dim ?? 1), 1)
      if (value?.length !== size) throw CheckpointUnfit(`it has no ${weight.originalName} of shape [${weight.shape}]`)
      return value
    })
    runtime.tf.tidy(() => {
      for (const [index, weight] of model.weights.entries()) {
        weight.write(runtime.tf.tensor(values[index] as Float32Array, weight.shape as number[]))
      }
    })
    const prefix = `${optimizer.type}.`
    const slots = weights.flatMap(({ name, values: slot }) =>
      name.startsWith(prefix) ? [[name.slice(prefix.length), slot] as const] : [],
    )
    this.#optimizer.restore({ iterations: Number(metadata.iterations), slots: new Map(slots) })
    this.#step = Number(metadata.step)
  }

  async exportModel(): Promise<ModelFiles> {
    const { model, prepared } = this.#parts
    return exportLayers(model, prepared.original)
  }

  tensorCount(): number {
    return this.#parts.runtime.tensorCount()
  }

  dispose(): void {
    if (this.#isDisposed) return
    this.#isDisposed = true
    this.#optimizer.dispose()
    this.#parts.model.dispose()
  }

  #upload(batch: DecodedBatch): [Tensor[], Tensor] {
    const { runtime, roles, deferred, loss } = this.#parts
    const inputs = roles.features.map((name) => runtime.upload(tensorOf(batch, name), deferred[name] ?? [], 'float32'))
    const label = tensorOf(batch, roles.label)
    const dtype =
      loss === 'sparseCategoricalCrossentropy' && !isFloat(finalDtype(roles.label, label.dtype, deferred))
        ? 'int32'
        : 'float32'
    const uploaded = runtime.upload(label, deferred[roles.label] ?? [], dtype)
    return [inputs, loss === 'sparseCategoricalCrossentropy' && dtype === 'float32' ? uploaded.cast('int32') : uploaded]
  }

  #forward(inputs: Tensor[], training: boolean): Tensor {
    const output = this.#parts.model.apply(inputs.length === 1 ? (inputs[0] as Tensor) : inputs, { training })
    if (Array.isArray(output)) throw ModelInvalid(`it has ${output.length} outputs, and Stoker trains models with one`)
    return output as Tensor
  }

  #loss(output: Tensor, label: Tensor) {
    const { runtime, model, loss, prepared } = this.#parts
    const base = lossOf(runtime, loss, prepared.givesLogits, output, label)
    // Regularisers of the layers' weights.
    return model.calculateLosses().reduce<typeof base>((sum, one) => sum.add(one), base)
  }

  #read(loss: Tensor, output: Tensor, label: Tensor): StepResult {
    const { hasAccuracy, loss: name } = this.#parts
    const value = loss.dataSync()[0] as number
    if (!hasAccuracy) return { loss: value }
    return { loss: value, accuracy: accuracyOf(name, output, label).dataSync()[0] as number }
  }

  #guarded<T>(body: () => T): T {
    try {
      return body()
    } catch (error) {
      throw stepError(error)
    }
  }
}

const isFloat = (dtype: DType): boolean => dtype === 'float32' || dtype === 'float64'
