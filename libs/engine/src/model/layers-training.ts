import { type ModelFormat, type OptimizerSpec, optimizerOf, type Train } from '@stoker/spec'
import { ModelInput } from '../error-table.js'
import { forgetTape, type LayersModel, type Scalar, type Tensor } from '../load/tfjs.js'
import { lossOf } from '../objective/loss.js'
import { type MetricSum, meanOver, metricValue } from '../objective/metric-sums.js'
import { measure } from '../objective/metrics.js'
import { rowWeights } from '../objective/record-weights.js'
import { clipGradients } from '../optimize/clip.js'
import type { Optimizer, Trainable } from '../optimize/optimizer.js'
import type { DecodedBatch, Deferred, EvaluateResult, ModelFiles, StepResult, TrainingModel } from '../types.js'
import { exportLayers } from './export-layers.js'
import type { Head } from './heads.js'
import { checkInt32 } from './label-range.js'
import { restoreState, saveState } from './layers-state.js'
import { type Roles, recordsOf, stepError, tensorOf } from './roles.js'
import type { LayersRuntime } from './runtime.js'
import { withSeededRandom } from './seeded-random.js'
import type { PreparedTopology } from './topology.js'
import { trainables } from './variables.js'

export interface LayersParts {
  readonly runtime: LayersRuntime
  readonly model: LayersModel
  readonly prepared: PreparedTopology
  readonly roles: Roles
  /** Field of each input of the model. */
  readonly inputs: readonly string[]
  readonly heads: readonly Head[]
  readonly seed: number
  readonly deferred: Deferred
  readonly train: Train
}

/** What a head is compared with in one batch. */
interface Target {
  readonly label: Tensor
  readonly weights: Tensor | undefined
}

interface Judged {
  /** Of all outputs, weighted, and the layers' regularisers. */
  readonly total: Scalar
  /** Of each head, before its weight. */
  readonly losses: readonly Scalar[]
}

export class LayersTraining implements TrainingModel {
  readonly #parts: LayersParts
  readonly #spec: OptimizerSpec
  readonly #variables: readonly Trainable[]
  readonly #optimizer: Optimizer
  readonly #skipsNonFinite: boolean
  #step = 0
  #isDisposed = false

  /** @throws ModelInput when nothing is left to train */
  constructor(parts: LayersParts) {
    const { model, runtime, train } = parts
    this.#parts = parts
    this.#spec = optimizerOf(train.optimizer)
    this.#skipsNonFinite = train.onNonFiniteLoss === 'skip'
    this.#variables = trainables(model)
    if (this.#variables.length === 0)
      throw ModelInput('no layer has weights to train').with({ remedy: 'freeze fewer layers' })
    this.#optimizer = runtime.createOptimizer(this.#spec, this.#variables)
  }

  async trainStep(batch: DecodedBatch): Promise<StepResult> {
    const { seed } = this.#parts
    return this.#guarded(() =>
      withSeededRandom(seed, 'step', this.#step, () => {
        const result = this.#tidy(() => this.#trainOn(batch))
        this.#step++
        return result
      }),
    )
  }

  async evaluate(batch: DecodedBatch): Promise<EvaluateResult> {
    return this.#guarded(() => {
      const result = this.#tidy(() => {
        const targets = this.#targets(batch, false)
        const outputs = this.#forward(this.#uploadInputs(batch), false)
        return this.#read(this.#judge(outputs, targets), outputs, targets, batch)
      })
      return { ...result, records: recordsOf(batch, this.#parts.roles) }
    })
  }

  #trainOn(batch: DecodedBatch): StepResult {
    const { tf } = this.#parts.runtime
    const inputs = this.#uploadInputs(batch)
    const targets = this.#targets(batch, true)
    const undo = this.#skipsNonFinite ? this.#remember() : undefined
    let outputs: Tensor[] = []
    let judged: Judged | undefined
    try {
      const { value, grads } = tf.variableGrads(
        () => {
          // Kept, for the metrics: variableGrads disposes of all it makes but the gradients.
          outputs = this.#forward(inputs, true).map((output) => tf.keep(output))
          judged = this.#judge(outputs, targets)
          for (const loss of judged.losses) tf.keep(loss)
          return judged.total
        },
        this.#variables.map(({ variable }) => variable),
      )
      const { learningRate } = this.#optimizer
      const losses = { total: value, losses: (judged as unknown as Judged).losses }
      if (undo && !Number.isFinite(value.dataSync()[0])) {
        undo()
        return { ...this.#read(losses, outputs, targets, batch), learningRate, isSkipped: true }
      }
      const gradients = this.#variables.map(({ variable }) => grads[variable.name])
      this.#optimizer.apply(clipGradients(tf, this.#spec.clip, gradients))
      return { ...this.#read(losses, outputs, targets, batch), learningRate }
    } catch (error) {
      forgetTape(tf)
      throw error
    } finally {
      for (const output of outputs) output.dispose()
      for (const loss of judged?.losses ?? []) loss.dispose()
    }
  }

  async save(): Promise<ModelFiles> {
    const { model } = this.#parts
    return saveState(model, this.#spec.type, this.#optimizer.state(), this.#step)
  }

  async restore(files: ModelFiles): Promise<void> {
    const { runtime, model } = this.#parts
    this.#step = restoreState(runtime.tf, model, this.#spec.type, this.#optimizer, files)
  }

  async exportModel(formats: readonly ModelFormat[] = ['tfjs']): Promise<ModelFiles> {
    const { model, prepared } = this.#parts
    return exportLayers(model, prepared.original, formats)
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

  #uploadInputs(batch: DecodedBatch): Tensor[] {
    const { runtime, inputs, deferred } = this.#parts
    return inputs.map((name) => runtime.upload(tensorOf(batch, name), deferred[name] ?? [], 'float32'))
  }

  #targets(batch: DecodedBatch, isTraining: boolean): Target[] {
    const { runtime, heads, deferred, train, model } = this.#parts
    return heads.map(({ index, spec, labelDtype }) => {
      const raw = tensorOf(batch, spec.label)
      if (labelDtype === 'int32') checkInt32(raw)
      const uploaded = runtime.upload(raw, deferred[spec.label] ?? [], labelDtype)
      const isCast = spec.loss.type === 'sparseCategoricalCrossentropy' && labelDtype === 'float32'
      const width = model.outputs[index]?.shape.at(-1) ?? 1
      const rows = spec.loss.type === 'sparseCategoricalCrossentropy' ? uploaded.size : uploaded.size / width
      const sampleWeight = spec.sampleWeight === undefined ? undefined : tensorOf(batch, spec.sampleWeight)
      // As in Keras, weights of classes are for training, those of records for evaluation as well.
      const weights = rowWeights(rows, raw, sampleWeight, isTraining ? train.classWeight : undefined, deferred)
      return {
        label: isCast ? uploaded.cast('int32') : uploaded,
        weights: weights && runtime.tf.tensor(weights),
      }
    })
  }

  #forward(inputs: Tensor[], training: boolean): Tensor[] {
    const output = this.#parts.model.apply(inputs.length === 1 ? (inputs[0] as Tensor) : inputs, { training })
    return Array.isArray(output) ? (output as Tensor[]) : [output as Tensor]
  }

  #judge(outputs: readonly Tensor[], targets: readonly Target[]): Judged {
    const { runtime, model, heads } = this.#parts
    const losses = heads.map((head, at) => {
      const { label, weights } = targets[at] as Target
      const isLogits = head.isMoved || head.spec.loss.fromLogits
      return lossOf(runtime, head.spec.loss, isLogits, outputs[head.index] as Tensor, label, weights)
    })
    const weighted = losses.map((loss, at): Scalar => {
      const weight = heads[at]?.spec.lossWeight ?? 1
      return weight === 1 ? loss : loss.mul(weight)
    })
    const total = [...weighted, ...model.calculateLosses()].reduce((sum, one) => sum.add(one))
    return { total, losses }
  }

  #read({ total, losses }: Judged, outputs: readonly Tensor[], targets: readonly Target[], batch: DecodedBatch) {
    const { runtime, heads, roles } = this.#parts
    const { tf } = runtime
    const metrics: Record<string, MetricSum> = {}
    let accuracy: number | undefined
    for (const [at, { index, prefix, spec, isMoved, isSparse }] of heads.entries()) {
      if (prefix !== '')
        metrics[`${prefix}loss`] = meanOver(losses[at]?.dataSync()[0] as number, recordsOf(batch, roles))
      if (spec.metrics.length === 0) continue
      const width = outputs[index]?.shape.at(-1) as number
      const output = (outputs[index] as Tensor).reshape([-1, width])
      const { label } = targets[at] as Target
      const rows = isSparse ? label.reshape([-1]) : label.reshape([-1, width])
      const predictions = () => (isMoved ? activated(spec.loss.type, output) : output)
      for (const metric of spec.metrics) {
        const sum = measure(metric, { tf, output, predictions, label: rows, isSparse })
        metrics[`${prefix}${metric.name}`] = sum
        if (metric.type === 'accuracy') accuracy ??= metricValue(sum)
      }
    }
    return { loss: total.dataSync()[0] as number, ...(accuracy === undefined ? {} : { accuracy }), metrics }
  }

  /** For a step that is not to have been: what the forward pass changes by itself, such as moving averages. */
  #remember(): () => void {
    const { model } = this.#parts
    const before = model.nonTrainableWeights.map((weight) => [weight, weight.read().clone()] as const)
    return () => {
      for (const [weight, value] of before) weight.write(value)
    }
  }

  #tidy<T>(body: () => T): T {
    let result: { readonly value: T } | undefined
    this.#parts.runtime.tf.tidy(() => {
      result = { value: body() }
    })
    return (result as unknown as { readonly value: T }).value
  }

  #guarded<T>(body: () => T): T {
    try {
      return body()
    } catch (error) {
      throw stepError(error)
    }
  }
}

const activated = (loss: string, logits: Tensor): Tensor =>
  loss === 'binaryCrossentropy' ? logits.sigmoid() : logits.softmax()
