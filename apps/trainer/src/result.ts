import { type EpochResult, inputWaitShare, type TrainingState } from './training-state.js'

/** What a finished training tells. Losses and accuracies are those of the last epoch. */
export type TrainingResult = {
  /** On held-out data where the job has a validation feed, else over the training data; null without that metric. */
  readonly accuracy: number | null
  readonly loss: number
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
  readonly epochs: readonly EpochResult[]
}

export function trainingResult(state: TrainingState, places: { model: string; checkpoint: string }): TrainingResult {
  const { times, epochs } = state
  const last = epochs.at(-1)
  const seconds = times.wallMs / 1000
  const perSecond = (count: number) => (seconds > 0 ? count / seconds : 0)
  return {
    accuracy: last?.valAccuracy ?? last?.accuracy ?? null,
    loss: last?.valLoss ?? last?.loss ?? Number.NaN,
    steps: state.step,
    samples: state.samples,
    stepsPerSecond: perSecond(times.steps),
    samplesPerSecond: perSecond(times.records),
    inputWaitShare: inputWaitShare(times),
    ...places,
    epochs,
  }
}
