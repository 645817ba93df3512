import type { TrainingModel } from '@stoker/engine'
import { addBatch, NO_SUMS, type Sums } from '../training-state.js'
import type { BatchSource } from './batch-source.js'

export interface EvaluateParts {
  readonly model: TrainingModel
  readonly batches: BatchSource
  readonly epoch: number
  readonly stop: AbortSignal
  readonly breathe: () => Promise<void> | undefined
  /** A loss that is not finite: throws, or the batch is left out. */
  readonly onNonFinite: (loss: number, batch: number) => void
}

/** Runs the model over one epoch of the validation feed. Leaves the model as it is. */
export async function evaluateEpoch(parts: EvaluateParts): Promise<Sums> {
  const { model, batches, epoch, stop, breathe, onNonFinite } = parts
  let sums = NO_SUMS
  for (let batch = 0; ; batch++) {
    const next = await batches.next({ feed: 'validation', epoch, batch })
    if (next === undefined) return sums
    if (next.records === 0) {
      next.release()
      continue
    }
    const { loss, metrics, records } = await model.evaluate(next.decoded)
    next.release()
    if (Number.isFinite(loss)) sums = addBatch(sums, { records, loss, metrics })
    else onNonFinite(loss, batch)
    stop.throwIfAborted()
    await breathe()
  }
}
