import type { FromEngine } from '../protocol.js'
import type { StepRecord } from '../step-record.js'
import type { Times, TrainingState } from '../training-state.js'

/** While batches are ready, reports leave this often; each costs a message. */
const REPORT_MS = 250

/** Collects step records and sends them on, a few times a second. No timer: the step loop drives it. */
export class Meter {
  readonly #post: (message: FromEngine) => void
  #steps: StepRecord[] = []
  #lastReport = 0
  #isFirst = true

  constructor(post: (message: FromEngine) => void) {
    this.#post = post
  }

  /** The times with this step in them. The first step of a process waits for indexing and warms up: it does not count. */
  add(times: Times, step: StepRecord): Times {
    this.#steps.push(step)
    if (this.#isFirst) {
      this.#isFirst = false
      return times
    }
    return {
      steps: times.steps + 1,
      records: times.records + step.records,
      waitMs: times.waitMs + step.waitMs,
      wallMs: times.wallMs + step.wallMs,
    }
  }

  /** Sends what has gathered when it is time, or at once. */
  report(state: TrainingState, atOnce = false): void {
    const now = performance.now()
    if (this.#steps.length === 0 || (!atOnce && now - this.#lastReport < REPORT_MS)) return
    this.#post({ type: 'steps', steps: this.#steps, state })
    this.#steps = []
    this.#lastReport = now
  }
}
