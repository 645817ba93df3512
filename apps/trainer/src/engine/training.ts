import type { TrainingModel } from '@stoker/engine'
import { LossNotFinite, NothingToTrain } from '../error-table.js'
import type { FromEngine, SessionStart } from '../protocol.js'
import { addBatch, type EpochResult, initialState, meanOf, NO_SUMS, type TrainingState } from '../training-state.js'
import type { BatchSource } from './batch-source.js'
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

  /** @throws the stop signal's reason; LossNotFinite; whatever TensorFlow throws. */
  async run(): Promise<void> {
    const { start, model, saver, post } = this.#parts
    while (this.#state.epochs.length < start.plan.order.epochs) {
      const epoch = this.#state.epochs.length
      await this.#trainEpoch(epoch)
      const result = await this.#finishEpoch(epoch)
      this.#state = {
        ...this.#state,
        cursor: { epoch: epoch + 1, batch: 0 },
        sums: NO_SUMS,
        epochs: [...this.#state.epochs, result],
      }
      post({ type: 'epoch', result })
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
      const started = performance.now()
      const { batch, records, waitMs, ready } = next
      const { loss, accuracy } = await model.trainStep(next.decoded)
      next.release()
      const now = performance.now()
      const [computeMs, wallMs] = [now - started, now - ended]
      ended = now
      const step = this.#state.step + 1
      if (!Number.isFinite(loss)) throw LossNotFinite(loss, step, epoch, batch).with({ place: { epoch, batch } })
      const record = { step, epoch, batch, records, loss, accuracy: accuracy ?? null, waitMs, computeMs, wallMs, ready }
      this.#state = {
        step,
        cursor: { epoch, batch: batch + 1 },
        samples: this.#state.samples + records,
        sums: addBatch(this.#state.sums, { records, loss, accuracy }),
        epochs: this.#state.epochs,
        times: this.#meter.add(this.#state.times, record),
      }
      // Before a wait of unknown length all is told.
      this.#meter.report(this.#state, batches.isDry)
      stop.throwIfAborted()
      if (step % everySteps === 0) await saver.checkpoint(model, this.#state)
      await this.#breathe()
    }
    this.#meter.report(this.#state, true)
  }

  async #finishEpoch(epoch: number): Promise<EpochResult> {
    const { start, model, batches, stop } = this.#parts
    if (this.#state.sums.records === 0) throw NothingToTrain('train', epoch)
    const { loss, accuracy } = meanOf(this.#state.sums)
    if (!start.validation) return { epoch, loss, accuracy, valLoss: null, valAccuracy: null }
    const sums = await evaluateEpoch({ model, batches, epoch, stop, breathe: this.#breathe })
    if (sums.records === 0) throw NothingToTrain('validation', epoch)
    const held = meanOf(sums)
    return { epoch, loss, accuracy, valLoss: held.loss, valAccuracy: held.accuracy }
  }
}
