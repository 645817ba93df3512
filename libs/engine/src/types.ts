import type { DeferredOp } from '@stoker/plan'
import type { DType, ModelFormat, Signature, Train } from '@stoker/spec'
import type { ObjectStore } from '@stoker/storage'
import type { MetricSums } from './objective/metric-sums.js'

export type Device = 'cpu' | 'cuda'

/** Which TensorFlow would run, and why that one. */
export interface EngineReport {
  readonly kind: 'native' | 'wasm'
  /** npm package whose JavaScript drives it, such as `@tensorflow/tfjs-node`. */
  readonly package?: string
  /** Of libtensorflow, or of the WASM backend. */
  readonly version: string
  /** What computes, such as `CPU`, `NVIDIA H200`, `CPU (WASM)`. */
  readonly device: string
  /** Folder of the build in the cache. */
  readonly dir?: string
  /** One sentence a step: what was looked at, and why it was taken or not. */
  readonly why: readonly string[]
  /** The command that brings a faster one. */
  readonly fix?: string
}

/** One tensor of a batch as it travels: little-endian, row-major. `shape` has the batch dimension in front. */
export interface BatchTensor {
  readonly name: string
  readonly dtype: DType
  readonly shape: readonly number[]
  readonly data: Uint8Array
}

/**
 * A batch as `decodeBatch` of the buffer gives it. TensorFlow reads the bytes in place where they are aligned: they must
 * not change before the promise of the call that got them resolves.
 */
export interface DecodedBatch {
  readonly tensors: readonly BatchTensor[]
}

/** Relative name to bytes. Each array owns its buffer, so it may be transferred to another thread. */
export type ModelFiles = ReadonlyMap<string, Uint8Array>

export interface StepResult {
  /** Mean over the records of the batch. */
  readonly loss: number
  /** Of the batch, where accuracy is one of the metrics. */
  readonly accuracy?: number
  /** What this batch adds to each metric, by name; of several outputs `<output>.loss` and `<output>.<metric>`. */
  readonly metrics: MetricSums
  /** Of the step, where the model is of kind layers. */
  readonly learningRate?: number
  /** The loss was not finite, and the job says that such batches are left out: the model is as it was. */
  readonly isSkipped?: boolean
}

export interface EvaluateResult extends StepResult {
  readonly records: number
}

export interface ModelContext {
  /** Where a SavedModel is read from. */
  readonly store: ObjectStore
  /** The job's seed: initial weights and dropout follow from it. */
  readonly seed?: number
  /** `restore` follows: weights to start from are not read. */
  readonly isResumed?: boolean
}

export type Deferred = Readonly<Record<string, readonly DeferredOp[]>>

export interface TrainingModel {
  /** Forward, backward, update on one batch; casts and scales what the worker left to do. @throws ModelInput */
  trainStep(batch: DecodedBatch): Promise<StepResult>
  evaluate(batch: DecodedBatch): Promise<EvaluateResult>
  /** Weights and optimiser state: after `restore` in a fresh model of the same job, losses go on bitwise equal. */
  save(): Promise<ModelFiles>
  /** @throws CheckpointUnfit when the files are another model's. */
  restore(files: ModelFiles): Promise<void>
  /**
   * The trained model, in the forms of its kind: a tfjs layers model (`model.json`, `weights.bin`) and a Keras 3 file
   * (`model.keras`), or the SavedModel with the trained variables. The first one where none is named. @throws ExportUnfit
   */
  exportModel(formats?: readonly ModelFormat[]): Promise<ModelFiles>
  /** Tensors alive in the engine; flat from step to step. */
  tensorCount(): number
  /** Safe to call twice. */
  dispose(): void
}

export interface Engine {
  readonly report: EngineReport
  /**
   * @param fields one record's fields on the wire (`plan.wire.fields`, without the batch dimension)
   * @param deferred what is left to do to them (`plan.wire.deferred`)
   * @throws ModelInvalid, ModelInput, SavedModelNeedsNative, SavedModelInvalid
   */
  createModel(train: Train, context: ModelContext, fields: Signature, deferred: Deferred): Promise<TrainingModel>
}

export type Log = (line: string) => void
