import type { TrainingModel } from '@stoker/engine'
import { addBatch, NO_SUMS, type Sums } from '../training-state.js'
import type { BatchSource } from './batch-source.js'

/** Runs the model over one epoch of the validation feed. Leaves the model as it is. */
export async function evaluateEpoch(parts: {
  readonly model: TrainingModel
  readonly batches: BatchSource
  readonly epoch: number
  readonly stop: AbortSignal
  readonly breathe: () => Promise<void> | undefined
}): Promise<Sums> {
  const { model, batches, epoch, stop, breathe } = parts
  let sums = NO_SUMS
  for (let batch = 0; ; batch++) {
    const next = await batches.next({ feed: 'validation', epoch, batch })
    if (next === undefined) return sums
    const { loss, accuracy, records } = await model.evaluate(next.decoded)
    next.release()
    sums = addBatch(sums, { records, loss, accuracy })
    stop.throwIfAborted()
    await breathe()
  }
}
