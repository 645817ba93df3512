import type { EpochResult } from './epoch-result.js'
import { inputWaitShare, type TrainingState } from './training-state.js'

/** What a finished training tells. Losses and metrics are those of the last epoch, or of the one that was restored. */
export type TrainingResult = {
  /** On held-out data where the job has a validation feed, else over the training data; null without that metric. */
  readonly accuracy: number | null
  readonly loss: number
  /** As accuracy, by name. */
  readonly metrics: Readonly<Record<string, number>>
  readonly steps: number
  readonly samples: number
  /** Over the time of the step loop, waiting included; evaluation and each process's first step left out. */
  readonly stepsPerSecond: number
  readonly samplesPerSecond: number
  readonly inputWaitShare: number
  /** URI of the model's folder. */
  readonly model: string
  /** URI of the last checkpoint. */
  readonly checkpoint: string
  /** The best epoch, by what `checkpoint.best` or early stopping watches. */
  readonly best?: { readonly epoch: number; readonly value: number; readonly checkpoint: string }
  /** The epoch after which early stopping ended the training. */
  readonly stoppedAfter?: number
  /** Whose weights the model has, where it is not the last epoch. */
  readonly restoredEpoch?: number
  /** Batches left out because their loss was not finite, and the first ones of them. */
  readonly skipped?: TrainingState['skipped']
  readonly epochs: readonly EpochResult[]
}

export interface Places {
  readonly model: string
  readonly checkpoint: string
  /** Undefined where no epoch is watched. */
  readonly best: string | undefined
}

/** @param restores the model of the best epoch is the one that was exported */
export function trainingResult(state: TrainingState, places: Places, restores: boolean): TrainingResult {
  const { times, epochs, watch, skipped } = state
  const lastEpoch = epochs.length - 1
  const restored = restores && watch.best && watch.best.epoch !== lastEpoch ? watch.best.epoch : undefined
  const told = epochs[restored ?? lastEpoch]
  const seconds = times.wallMs / 1000
  const perSecond = (count: number) => (seconds > 0 ? count / seconds : 0)
  return {
    accuracy: told?.valAccuracy ?? told?.accuracy ?? null,
    loss: told?.valLoss ?? told?.loss ?? Number.NaN,
    metrics: told?.valMetrics ?? told?.metrics ?? {},
    steps: state.step,
    samples: state.samples,
    stepsPerSecond: perSecond(times.steps),
    samplesPerSecond: perSecond(times.records),
    inputWaitShare: inputWaitShare(times),
    ...{ model: places.model, checkpoint: places.checkpoint },
    ...(watch.best && places.best !== undefined ? { best: { ...watch.best, checkpoint: places.best } } : {}),
    ...(watch.stoppedAfter === null ? {} : { stoppedAfter: watch.stoppedAfter }),
    ...(restored === undefined ? {} : { restoredEpoch: restored }),
    ...(skipped.batches > 0 ? { skipped } : {}),
    epochs,
  }
}
