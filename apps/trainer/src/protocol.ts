import type { MessagePort } from 'node:worker_threads'
import type { BatchAt, Plan } from '@stoker/plan'
import type { ErrorView, Train } from '@stoker/spec'
import type { EpochResult } from './epoch-result.js'
import type { StepRecord } from './step-record.js'
import type { TrainingState } from './training-state.js'

/*
 * What the two threads tell each other. The I/O thread opens a session for each job it takes: a message on the parent
 * port carries one end of a new channel, and all that concerns the job travels there. Batches do not: they lie in shared
 * memory, see io/feeder.ts. Errors cross as JSON.
 */

/** Main thread to I/O thread. */
export type ToIoThread = { readonly type: 'close' }

/** I/O thread to main thread. */
export type FromIoThread =
  | { readonly type: 'ready' }
  | { readonly type: 'session'; readonly start: SessionStart; readonly port: MessagePort }
  /** The thread cannot start, and ends. */
  | { readonly type: 'failed'; readonly error: ErrorView }

/** Files of a model by relative name. */
export type Files = ReadonlyMap<string, Uint8Array>

/** `best`: a checkpoint of the best epoch so far, kept beside the last ones. */
export type SaveKind = 'checkpoint' | 'best' | 'model'

export interface SessionStart {
  readonly job: string
  readonly train: Train
  readonly seed: number
  readonly plan: Plan
  readonly validation: Plan | undefined
  readonly resume: { readonly state: TrainingState; readonly files: Files } | undefined
}

/** Why a session ends before its job is done. `drain` asks for a checkpoint first. */
export type StopReason = 'drain' | 'dropped'

export type ToEngine =
  | { readonly type: 'ring'; readonly ring: SharedArrayBuffer }
  | { readonly type: 'stop'; readonly reason: StopReason }
  /** The checkpoint or model of that number is in the store. */
  | { readonly type: 'saved'; readonly id: number }
  /** The answer to `readBest`. */
  | { readonly type: 'best'; readonly files: Files }

export type FromEngine =
  | { readonly type: 'steps'; readonly steps: readonly StepRecord[]; readonly state: TrainingState }
  | { readonly type: 'epoch'; readonly result: EpochResult }
  | {
      readonly type: 'save'
      readonly id: number
      readonly what: SaveKind
      readonly files: Files
      readonly state: TrainingState
    }
  /** Asks for the files of the best epoch. */
  | { readonly type: 'readBest' }
  /** A batch was left out because its loss is not finite. */
  | { readonly type: 'skipped'; readonly feed: 'train' | 'validation'; readonly at: BatchAt }
  | { readonly type: 'ended'; readonly outcome: SessionOutcome }

export type SessionOutcome =
  | { readonly how: 'done'; readonly state: TrainingState }
  | { readonly how: 'stopped' }
  | { readonly how: 'failed'; readonly error: ErrorView }
