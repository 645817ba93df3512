import type { ErrorView, Finding } from '@stoker/spec'

export type JobState = 'pending' | 'indexing' | 'running' | 'paused' | 'succeeded' | 'failed' | 'cancelled'

/** What `GET /v1/jobs/:id` answers: the parts that the CLI shows. */
export interface JobView {
  readonly id: string
  readonly name: string
  readonly state: JobState
  readonly kind: 'train' | 'feed'
  readonly createdAt: string
  readonly finishedAt?: string
  readonly progress: Progress
  readonly error?: ErrorView
  readonly result?: Readonly<Record<string, unknown>>
}

/** Counts start at 0; `epoch` and `batch` are the cursor. Missing or null: not known yet. */
export interface Progress {
  readonly shards: number
  readonly shardsIndexed: number
  readonly records: number
  readonly epochs: number
  readonly batchesTotal?: number | null
  readonly batchesDone?: number | null
  readonly epoch: number
  readonly batch: number
  readonly readyBatches: number
  readonly readyBytes: number
  readonly step?: number | null
  readonly loss?: number | null
  readonly accuracy?: number | null
  /** By name, accuracy included. */
  readonly metrics?: Readonly<Record<string, number>>
  readonly inputWaitShare?: number | null
  readonly secondsLeft?: number | null
}

export interface Submitted {
  readonly id: string
  readonly state: JobState
  readonly links?: Readonly<Record<string, string>>
  readonly findings?: readonly Finding[]
}

/** A record that a batch was made without. */
export interface BadRecord {
  readonly shard: string
  readonly record: number
  /** In bytes, where the format has one. */
  readonly offset?: number
  readonly code: string
  readonly message: string
  /** Records gone with it in the damaged rest of the shard, estimated. */
  readonly lost?: number
  readonly standIn?: { readonly shard: string; readonly record: number }
  /** The earliest batch that met it. */
  readonly epoch: number
  readonly batch: number
  readonly seenAt: string
}

export const isFinished = (state: JobState): boolean =>
  state === 'succeeded' || state === 'failed' || state === 'cancelled'
