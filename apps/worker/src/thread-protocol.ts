import type { BatchTask, IndexTask, PreviewTask } from '@stoker/queue'
import type { ErrorView } from '@stoker/spec'
import type { WorkerConfig } from './config.js'

/** What a compute thread is told at its start. */
export interface ThreadSetup {
  readonly config: WorkerConfig
  /** This thread's share of the page cache. */
  readonly cacheBytes: number
}

export type ThreadTask = BatchTask | IndexTask | PreviewTask

export interface ThreadJob {
  readonly task: ThreadTask
  /** Where the thread says which op of the user's own it is in; only where there are such ops. */
  readonly watch?: SharedArrayBuffer
}

/** How a task ended; errors cross the thread boundary as JSON. */
export type ThreadOutcome =
  | { readonly ok: true; readonly batches: number; readonly busyMs: number }
  | { readonly ok: false; readonly error: ErrorView }
