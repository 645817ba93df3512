import type { StepResult, TrainingModel } from '@stoker/engine'
import type { EpochResult } from '../epoch-result.js'
import { LossNotFinite, NothingToTrain } from '../error-table.js'
import type { FromEngine, SessionStart } from '../protocol.js'
import { addBatch, addSkipped, initialState, meanOf, NO_SUMS, type TrainingState } from '../training-state.js'
import { afterEpoch } from '../watch.js'
import type { BatchSource, ReadyBatch } from './batch-source.js'
import { createBreather } from './breather.js'
import { evaluateEpoch } from './evaluate.js'
import { Meter } from './meter.js'
import type { Saver } from './saver.js'

export interface TrainingParts {
  readonly start: SessionStart
  readonly model: TrainingModel
  readonly batches: BatchSource
  readonly saver: Saver
  readonly post: (message: FromEngine) => void
  /** Aborts when the session shall end before its job is done. */
  readonly stop: AbortSignal
}

const EVERY_STEPS = 500

/**
 * The step loop: epochs of steps, an evaluation after each. `state` always belongs to the model as it is between two
 * steps, so that both may be saved whenever no step runs.
 */
export class Training {
  readonly #parts: TrainingParts
  readonly #meter: Meter
  readonly #breathe = createBreather()
  #state: TrainingState

  constructor(parts: TrainingParts) {
    this.#parts = parts
    this.#meter = new Meter(parts.post)
    this.#state = parts.start.resume?.state ?? initialState
  }

  get state(): TrainingState {
    return this.#state
  }

  /** @throws the stop signal's reason; LossNotFinite; MonitorUnknown; whatever TensorFlow throws. */
  async run(): Promise<void> {
    const { start, model, saver, post } = this.#parts
    while (this.#state.watch.stoppedAfter === null && this.#state.epochs.length < start.plan.order.epochs) {
      const epoch = this.#state.epochs.length
      await this.#trainEpoch(epoch)
      const result = await this.#finishEpoch(epoch)
      const watch = afterEpoch(start.train, this.#state.watch, result)
      this.#state = {
        ...this.#state,
        cursor: { epoch: epoch + 1, batch: 0 },
        sums: NO_SUMS,
        epochs: [...this.#state.epochs, result],
        watch,
      }
      post({ type: 'epoch', result })
      if (watch.best?.epoch === epoch) await saver.best(model, this.#state)
      await saver.checkpoint(model, this.#state)
    }
  }

  async #trainEpoch(epoch: number): Promise<void> {
    const { start, model, batches, saver, stop } = this.#parts
    const everySteps = start.train.checkpoint?.everySteps ?? EVERY_STEPS
    let ended = performance.now()
    for (;;) {
      const next = await batches.next({ feed: 'train', epoch, batch: this.#state.cursor.batch })
      if (next === undefined) break
      if (next.records === 0) {
        // All its records were set aside: there is nothing to learn from, and the mean over none is no loss.
        next.release()
        this.#state = { ...this.#state, cursor: { epoch, batch: next.batch + 1 } }
        continue
      }
      const started = performance.now()
      const result = await model.trainStep(next.decoded)
      next.release()
      const now = performance.now()
      const [computeMs, wallMs] = [now - started, now - ended]
      ended = now
      this.#step(epoch, next, result, { computeMs, wallMs })
      // Before a wait of unknown length all is told.
      this.#meter.report(this.#state, batches.isDry)
      stop.throwIfAborted()
      if (this.#state.step % everySteps === 0) await saver.checkpoint(model, this.#state)
      await this.#breathe()
    }
    this.#meter.report(this.#state, true)
  }

  /** Takes note of one step. @throws LossNotFinite */
  #step(epoch: number, next: ReadyBatch, result: StepResult, times: { computeMs: number; wallMs: number }): void {
    const { batch, records, waitMs, ready } = next
    const { loss, accuracy, metrics, learningRate } = result
    const step = this.#state.step + 1
    const cursor = { epoch, batch: batch + 1 }
    if (!Number.isFinite(loss)) {
      if (!result.isSkipped) throw this.#notFinite(loss, step, { epoch, batch })
      this.#skip({ epoch, batch }, 'train')
      this.#state = { ...this.#state, step, cursor }
      return
    }
    const record = { ...{ step, epoch, batch, records, loss, accuracy: accuracy ?? null, waitMs, ready }, ...times }
    this.#state = {
      ...this.#state,
      step,
      cursor,
      samples: this.#state.samples + records,
      sums: addBatch(this.#state.sums, { records, loss, metrics }),
      learningRate: learningRate ?? null,
      times: this.#meter.add(this.#state.times, record),
    }
  }

  #notFinite(loss: number, step: number, at: { epoch: number; batch: number }) {
    const { job } = this.#parts.start
    return LossNotFinite(loss, step, at.epoch, at.batch).with({
      place: at,
      remedy: `look at that batch (stoker preview ${job} ${at.epoch} ${at.batch}), scale the features, lower optimizer.learningRate or clip the gradients; "onNonFiniteLoss": "skip" leaves such batches out`,
    })
  }

  #skip(at: { epoch: number; batch: number }, feed: 'train' | 'validation'): void {
    if (feed === 'train') this.#state = { ...this.#state, skipped: addSkipped(this.#state.skipped, at) }
    this.#parts.post({ type: 'skipped', feed, at })
  }

  async #finishEpoch(epoch: number): Promise<EpochResult> {
    const { start, model, batches, stop } = this.#parts
    if (this.#state.sums.records === 0) throw NothingToTrain('train', epoch)
    const { learningRate } = this.#state
    const trained = meanOf(this.#state.sums)
    if (!start.validation) {
      return { epoch, ...trained, valLoss: null, valAccuracy: null, valMetrics: null, learningRate }
    }
    const onNonFinite = (loss: number, batch: number) => {
      const at = { epoch, batch }
      if (start.train.onNonFiniteLoss === 'skip') this.#skip(at, 'validation')
      else throw this.#notFinite(loss, this.#state.step, at).with({ place: { path: 'train.validation' } })
    }
    const sums = await evaluateEpoch({ model, batches, epoch, stop, breathe: this.#breathe, onNonFinite })
    if (sums.records === 0) throw NothingToTrain('validation', epoch)
    const held = meanOf(sums)
    const val = { valLoss: held.loss, valAccuracy: held.accuracy, valMetrics: held.metrics }
    return { epoch, ...trained, ...val, learningRate }
  }
}
