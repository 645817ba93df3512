import type { CheckedJob } from '../parse-job.js'

/** A mistake told at submission. Warnings stop a job only when it says `strict`. */
export interface Finding {
  readonly code: string
  readonly level: 'error' | 'warning'
  readonly path: string
  readonly message: string
  readonly fix: string
}

/** What is known of the data besides the spec; absent parts silence the rules that need them. */
export interface Facts {
  readonly shards?: number
  readonly records?: number
  /** Bytes of one full batch on the wire. */
  readonly batchBytes?: number
}

export interface Rule {
  readonly code: string
  readonly level: Finding['level']
  readonly find: (job: CheckedJob, facts: Facts) => readonly Omit<Finding, 'code' | 'level'>[]
}
