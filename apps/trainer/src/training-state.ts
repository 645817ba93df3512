import { addMetrics, type MetricSums, metricValues } from '@stoker/engine'
import type { BatchAt } from '@stoker/plan'
import type { EpochResult } from './epoch-result.js'
import { NOTHING_WATCHED, type Watch } from './watch.js'

/** Sums over records, so that a value over batches of unequal size is exact. */
export interface Sums {
  readonly records: number
  readonly loss: number
  readonly metrics: MetricSums
}
export const NO_SUMS: Sums = { records: 0, loss: 0, metrics: {} }

/** Time spent, in milliseconds, by steps after the first one of a process (that one waits for indexing and warms up). */
export interface Times {
  readonly steps: number
  readonly records: number
  /** Of `wallMs`, waiting for batches. */
  readonly waitMs: number
  /** From the end of one step to the end of the next: waiting, the step, checkpoints. Evaluation is left out. */
  readonly wallMs: number
}

/** Batches left out because their loss was not finite. */
export type Skipped = {
  readonly batches: number
  /** The first ones. */
  readonly first: readonly { readonly epoch: number; readonly batch: number }[]
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
  readonly learningRate: number | null
  readonly epochs: readonly EpochResult[]
  readonly watch: Watch
  readonly skipped: Skipped
  readonly times: Times
}

export const initialState: TrainingState = {
  step: 0,
  cursor: { epoch: 0, batch: 0 },
  samples: 0,
  sums: NO_SUMS,
  learningRate: null,
  epochs: [],
  watch: NOTHING_WATCHED,
  skipped: { batches: 0, first: [] },
  times: { steps: 0, records: 0, waitMs: 0, wallMs: 0 },
}

/** @param batch its loss is the mean over its records, its metrics are sums */
export const addBatch = (sums: Sums, batch: { records: number; loss: number; metrics: MetricSums }): Sums => ({
  records: sums.records + batch.records,
  loss: sums.loss + batch.loss * batch.records,
  metrics: addMetrics(sums.metrics, batch.metrics),
})

const MOST_LISTED = 100

export const addSkipped = ({ batches, first }: Skipped, at: BatchAt): Skipped => ({
  batches: batches + 1,
  first: first.length < MOST_LISTED ? [...first, at] : first,
})

export interface Means {
  readonly loss: number
  /** Null when the model tells no accuracy. */
  readonly accuracy: number | null
  /** Values that are no finite numbers are left out: JSON has no word for them. */
  readonly metrics: Readonly<Record<string, number>>
}

export function meanOf({ records, loss, metrics }: Sums): Means {
  const finite = Object.entries(metricValues(metrics)).filter(([, value]) => Number.isFinite(value))
  const accuracy = finite.find(([name]) => /(^|[._])acc(uracy)?$/.test(name))
  return { loss: loss / records, accuracy: accuracy?.[1] ?? null, metrics: Object.fromEntries(finite) }
}

/** Share of the step time that was spent waiting for input, from 0 to 1. */
export const inputWaitShare = ({ waitMs, wallMs }: Times): number => (wallMs > 0 ? waitMs / wallMs : 0)

/** Whether a stored document is a state of this shape; another version of Stoker may have written it. */
export function isTrainingState(value: unknown): value is TrainingState {
  if (typeof value !== 'object' || value === null) return false
  const state = value as Partial<TrainingState>
  const numbers = [state.step, state.samples, state.cursor?.epoch, state.cursor?.batch, state.sums?.records]
  const parts = [state.sums?.metrics, state.watch?.stopping, state.skipped?.first]
  return (
    numbers.every(Number.isInteger) &&
    parts.every((part) => typeof part === 'object' && part !== null) &&
    Array.isArray(state.epochs) &&
    typeof state.times?.wallMs === 'number'
  )
}
