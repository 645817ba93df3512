export const JOB_STATES = ['pending', 'indexing', 'running', 'paused', 'succeeded', 'failed', 'cancelled'] as const
export type JobState = (typeof JOB_STATES)[number]

/** Where a job may go from each state. `paused` goes back to where it was. */
export const TRANSITIONS = {
  pending: ['indexing', 'running', 'paused', 'succeeded', 'failed', 'cancelled'],
  indexing: ['running', 'paused', 'succeeded', 'failed', 'cancelled'],
  running: ['paused', 'succeeded', 'failed', 'cancelled'],
  paused: ['pending', 'indexing', 'running', 'failed', 'cancelled'],
  succeeded: [],
  failed: [],
  cancelled: [],
} as const satisfies Record<JobState, readonly JobState[]>

export const isJobState = (value: unknown): value is JobState => JOB_STATES.some((state) => state === value)

/** Nothing leaves a finished state. */
export const isFinished = (state: JobState): boolean => TRANSITIONS[state].length === 0
export const FINISHED: readonly JobState[] = JOB_STATES.filter(isFinished)

export const canBecome = (from: JobState, to: JobState): boolean => {
  const targets: readonly JobState[] = TRANSITIONS[from]
  return targets.includes(to)
}

/** States from which `to` is allowed; of these, only the ones the caller expects when it says so. */
export const allowedFrom = (to: JobState, expected: readonly JobState[] = JOB_STATES): readonly JobState[] =>
  expected.filter((from) => canBecome(from, to))
