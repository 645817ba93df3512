import type { BatchAt } from '@stoker/plan'

/** What a finished epoch gave. Means over its records. */
export type EpochResult = {
  readonly epoch: number
  readonly loss: number
  readonly accuracy: number | null
  readonly valLoss: number | null
  readonly valAccuracy: number | null
}

/** Sums over records, so that a mean over batches of unequal size is exact. */
export interface Sums {
  readonly records: number
  readonly loss: number
  /** Null when the model tells no accuracy. */
  readonly accuracy: number | null
}
export const NO_SUMS: Sums = { records: 0, loss: 0, accuracy: null }

/** Time spent, in milliseconds, by steps after the first one of a process (that one waits for indexing and warms up). */
export interface Times {
  readonly steps: number
  readonly records: number
  /** Of `wallMs`, waiting for batches. */
  readonly waitMs: number
  /** From the end of one step to the end of the next: waiting, the step, checkpoints. Evaluation is left out. */
  readonly wallMs: number
}

/**
 * Where a training stands, besides the model: what a checkpoint holds and an uninterrupted run would have. Plain JSON;
 * doubles survive it exactly.
 */
export interface TrainingState {
  /** Steps done. */
  readonly step: number
  /** First batch not trained on. `batch` equal to the epoch's number of batches: its evaluation is due. */
  readonly cursor: BatchAt
  readonly samples: number
  /** Of the epoch under way. */
  readonly sums: Sums
  readonly epochs: readonly EpochResult[]
  readonly times: Times
}

export const initialState: TrainingState = {
  step: 0,
  cursor: { epoch: 0, batch: 0 },
  samples: 0,
  sums: NO_SUMS,
  epochs: [],
  times: { steps: 0, records: 0, waitMs: 0, wallMs: 0 },
}

/** Losses and accuracies are means over the batch. */
export function addBatch(sums: Sums, batch: { records: number; loss: number; accuracy?: number | undefined }): Sums {
  return {
    records: sums.records + batch.records,
    loss: sums.loss + batch.loss * batch.records,
    accuracy: batch.accuracy === undefined ? sums.accuracy : (sums.accuracy ?? 0) + batch.accuracy * batch.records,
  }
}

export const meanOf = ({ records, loss, accuracy }: Sums): { loss: number; accuracy: number | null } => ({
  loss: loss / records,
  accuracy: accuracy === null ? null : accuracy / records,
})

/** Share of the step time that was spent waiting for input, from 0 to 1. */
export const inputWaitShare = ({ waitMs, wallMs }: Times): number => (wallMs > 0 ? waitMs / wallMs : 0)

/** Whether a stored document is a state of this shape; another version of Stoker may have written it. */
export function isTrainingState(value: unknown): value is TrainingState {
  if (typeof value !== 'object' || value === null) return false
  const state = value as Partial<TrainingState>
  const numbers = [state.step, state.samples, state.cursor?.epoch, state.cursor?.batch, state.sums?.records]
  return numbers.every(Number.isInteger) && Array.isArray(state.epochs) && typeof state.times?.wallMs === 'number'
}
