import type { JobStore } from '@stoker/jobs'
import type { EpochResult } from '../epoch-result.js'
import type { StepRecord } from '../step-record.js'
import { inputWaitShare, meanOf, type TrainingState } from '../training-state.js'

/** Steps that make a pace. */
const PACE_STEPS = 10

export interface StepReport {
  readonly steps: readonly StepRecord[]
  readonly state: TrainingState
}

/** Steps are told this often at most. */
const REPORT_MS = 250

/**
 * Tells how a training goes: numbers for whoever asks now (progress), events for whoever follows. Reports that come
 * while one waits or is being written are merged, so neither many steps nor a slow Redis do harm.
 */
export class Reporter {
  readonly #jobs: Pick<JobStore, 'emit' | 'setProgress'>
  readonly #job: string
  readonly #totalSteps: () => number | undefined
  #waiting: StepReport | undefined
  #writing: Promise<void> = Promise.resolve()
  #pending: { readonly timer: NodeJS.Timeout; readonly write: () => void } | undefined
  #lastWrite = 0

  /** @param totalSteps steps of the whole job, undefined while shards are being indexed. */
  constructor(jobs: Pick<JobStore, 'emit' | 'setProgress'>, job: string, totalSteps: () => number | undefined) {
    this.#jobs = jobs
    this.#job = job
    this.#totalSteps = totalSteps
  }

  /** @throws through `onError`, never to the caller: a lost report ends no training. */
  steps(report: StepReport, onError: (error: unknown) => void): void {
    const isQueued = this.#waiting !== undefined
    this.#waiting = { state: report.state, steps: [...(this.#waiting?.steps ?? []), ...report.steps] }
    if (isQueued) return
    const write = () => {
      this.#pending = undefined
      this.#then(() => this.#write(), onError)
    }
    const waitMs = Math.max(0, this.#lastWrite + REPORT_MS - performance.now())
    this.#pending = { timer: setTimeout(write, waitMs), write }
  }

  /** Told after the steps before it. */
  epoch(result: EpochResult, onError: (error: unknown) => void): void {
    this.#flush()
    this.#then(async () => {
      await this.#jobs.emit(this.#job, 'epoch', result)
    }, onError)
  }

  /** A batch whose loss is not finite was left out. */
  skipped(what: { feed: string; epoch: number; batch: number }, onError: (error: unknown) => void): void {
    this.#then(async () => {
      await this.#jobs.emit(this.#job, 'skipped', what)
    }, onError)
  }

  /** Waits until all is told. */
  async settled(): Promise<void> {
    this.#flush()
    await this.#writing
  }

  #flush(): void {
    clearTimeout(this.#pending?.timer)
    this.#pending?.write()
  }

  #then(write: () => Promise<void>, onError: (error: unknown) => void): void {
    this.#writing = this.#writing.then(write).catch(onError)
  }

  async #write(): Promise<void> {
    const { steps, state } = this.#waiting ?? {}
    this.#waiting = undefined
    this.#lastWrite = performance.now()
    const summary = summarise(steps ?? [])
    if (!state || !summary) return
    await this.#jobs.setProgress(this.#job, progressOf(summary, state, this.#totalSteps()))
    await this.#jobs.emit(this.#job, 'step', summary)
  }
}

/** Steps since the last report as one: the last one's place, means of the rest. */
export function summarise(steps: readonly StepRecord[]) {
  const last = steps.at(-1)
  if (!last) return undefined
  const mean = (value: (step: StepRecord) => number) => steps.reduce((sum, step) => sum + value(step), 0) / steps.length
  return {
    step: last.step,
    epoch: last.epoch,
    batch: last.batch,
    steps: steps.length,
    loss: mean(({ loss }) => loss),
    accuracy: last.accuracy === null ? null : mean(({ accuracy }) => accuracy ?? 0),
    waitMs: mean(({ waitMs }) => waitMs),
    stepMs: mean(({ computeMs }) => computeMs),
    wallMs: mean(({ wallMs }) => wallMs),
    ready: mean(({ ready }) => ready),
  }
}

/** Loss and accuracy are those of the epoch so far, as Keras shows them. */
function progressOf(
  summary: NonNullable<ReturnType<typeof summarise>>,
  state: TrainingState,
  totalSteps: number | undefined,
): Record<string, number> {
  const { loss, accuracy, metrics } = state.sums.records > 0 ? meanOf(state.sums) : { ...summary, metrics: {} }
  const { waitMs, stepMs, step } = summary
  const left = secondsLeft(state.times, totalSteps === undefined ? undefined : totalSteps - step)
  return {
    step,
    loss,
    ...(accuracy === null ? {} : { accuracy }),
    ...metricFields(metrics),
    ...(state.learningRate === null ? {} : { learningRate: state.learningRate }),
    ...{ stepMs, waitMs, inputWaitShare: inputWaitShare(state.times), samples: state.samples },
    ...{ trainEpoch: summary.epoch, trainBatch: summary.batch, ringReady: summary.ready },
    ...(totalSteps === undefined ? {} : { totalSteps }),
    ...(left === undefined ? {} : { secondsLeft: left }),
  }
}

/** Progress is a flat record of numbers. */
const metricFields = (metrics: Readonly<Record<string, number>>): Record<string, number> =>
  Object.fromEntries(Object.entries(metrics).map(([name, value]) => [`metric:${name}`, value]))

/** At the pace of the whole training: that of single seconds jumps. Nothing before there is a pace. */
function secondsLeft({ steps, wallMs }: TrainingState['times'], stepsLeft: number | undefined): number | undefined {
  if (stepsLeft === undefined || steps < PACE_STEPS) return undefined
  return (Math.max(0, stepsLeft) * wallMs) / steps / 1000
}
