import type { JobRecord } from '@stoker/jobs'
import { HasTrainer, IsChild, JobFailed } from './error-table.js'

/** A job that any consumer may pull. @throws HasTrainer, IsChild, JobFailed when it ended without being consumed */
export function pullable(record: JobRecord): JobRecord {
  const { id, state, parent, error } = record
  if (parent !== undefined) throw IsChild(id, parent).with({ remedy: 'its batches go to the trainer of that job' })
  if (record.spec.train) throw HasTrainer(id)
  if (state === 'failed' || state === 'cancelled') {
    throw JobFailed(id, state, error?.message ?? 'it gives no more batches').with({
      ...(error?.place ? { place: error.place } : {}),
      ...(error?.remedy ? { remedy: error.remedy } : {}),
    })
  }
  return record
}
