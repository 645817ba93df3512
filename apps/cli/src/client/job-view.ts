import type { ErrorView, Finding, Job } from '@stoker/spec'

export type JobState = 'pending' | 'indexing' | 'running' | 'paused' | 'succeeded' | 'failed' | 'cancelled'

/** What `GET /v1/jobs/:id` answers: the parts that the CLI shows. */
export interface JobView {
  readonly id: string
  readonly name: string
  readonly state: JobState
  readonly createdAt: string
  readonly finishedAt?: string
  readonly spec?: Job
  readonly progress?: Progress
  readonly error?: ErrorView
  readonly result?: Readonly<Record<string, string | number | boolean | null>>
}

/** Counts start at 0; `epoch` and `batch` are the cursor. Fields that are not known yet are missing. */
export interface Progress {
  readonly shards?: number
  readonly shardsIndexed?: number
  readonly records?: number
  readonly batchesTotal?: number
  readonly epochs?: number
  readonly epoch?: number
  readonly batch?: number
  readonly readyBatches?: number
  readonly readyBytes?: number
  readonly step?: number
  readonly loss?: number
  readonly accuracy?: number
  readonly stepMs?: number
  readonly waitMs?: number
  readonly inputWaitShare?: number
  readonly secondsLeft?: number
}

export interface Submitted {
  readonly id: string
  readonly state: JobState
  readonly links?: Readonly<Record<string, string>>
  readonly findings?: readonly Finding[]
}

export const isFinished = (state: JobState): boolean =>
  state === 'succeeded' || state === 'failed' || state === 'cancelled'
