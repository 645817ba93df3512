export type JobState = 'pending' | 'indexing' | 'running' | 'paused' | 'succeeded' | 'failed' | 'cancelled'

export interface Place {
  readonly path?: string
  readonly shard?: string
  readonly record?: number
  readonly offset?: number
  readonly op?: string
  readonly field?: string
  readonly epoch?: number
  readonly batch?: number
}

/** What went wrong and what to change: the `error` of a job, or a problem document of the api. */
export interface Fault {
  readonly code: string
  readonly message: string
  readonly place?: Place
  readonly remedy?: string
}

/** The parts of GET /v1/jobs/:id that the page shows. Numbers that are not known are missing. */
export interface Job {
  readonly id: string
  readonly name: string
  readonly state: JobState
  readonly kind: 'train' | 'feed'
  readonly createdAt: string
  readonly finishedAt?: string
  readonly progress: Progress
  readonly error?: Fault
  readonly result?: Readonly<Record<string, unknown>>
}

export interface Progress {
  readonly shards: number
  readonly shardsIndexed: number
  readonly records: number
  readonly epochs: number
  readonly epoch: number
  readonly batch: number
  readonly readyBatches: number
  readonly readyBytes: number
  readonly batchesTotal?: number
  readonly batchesDone?: number
  readonly badRecords?: number
  readonly lostRecords?: number
  readonly step?: number
  readonly totalSteps?: number
  readonly loss?: number
  readonly accuracy?: number
  /** By name, accuracy included. */
  readonly metrics?: Readonly<Record<string, number>>
  readonly learningRate?: number
  readonly stepMs?: number
  readonly waitMs?: number
  readonly inputWaitShare?: number
  readonly secondsLeft?: number
}

/** A record that a batch was made without, and what was done about it. */
export interface BadRecord {
  readonly shard: string
  readonly record: number
  readonly offset?: number
  readonly code: string
  readonly message: string
  /** Records gone with it, estimated. */
  readonly lost?: number
  readonly standIn?: { readonly shard: string; readonly record: number }
}

export interface BadRecords {
  readonly total: number
  readonly badRecords: readonly BadRecord[]
}

export const isFinished = ({ state }: Job): boolean =>
  state === 'succeeded' || state === 'failed' || state === 'cancelled'

/** How far a job is: shards while they are indexed, then steps or batches. */
export interface Gauge {
  readonly label: string
  readonly done: number
  readonly total: number
}

export function gaugeOf({ kind, state, progress }: Job): Gauge | undefined {
  const { shards, shardsIndexed, step = 0, totalSteps, batchesDone = 0, batchesTotal } = progress
  if (batchesTotal === undefined) return { label: 'shards indexed', done: shardsIndexed, total: shards }
  const total = kind === 'train' ? (totalSteps ?? batchesTotal) : batchesTotal
  if (total === 0) return undefined
  const done = kind === 'train' ? step : batchesDone
  return {
    label: kind === 'train' ? 'steps' : 'batches consumed',
    done: state === 'succeeded' ? total : Math.min(done, total),
    total,
  }
}
