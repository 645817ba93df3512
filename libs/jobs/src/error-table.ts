import { defineError } from '@stoker/spec'

export const JobUnknown = defineError('STK_JOB_UNKNOWN', 'there is no job %s', {
  status: 404,
  remedy: 'list the jobs there are with GET /v1/jobs; finished jobs are forgotten after a while',
})
export const WrongState = defineError('STK_JOB_STATE', 'job %s is %s, so it cannot become %s', { status: 409 })
export const IdempotencyConflict = defineError(
  'STK_JOB_IDEMPOTENCY',
  'idempotency key "%s" was used for job %s, which has another spec',
  { status: 409, remedy: 'use a new key for a new job' },
)
export const LeaseLost = defineError('STK_JOB_LEASE_LOST', 'another coordinator holds the lease of job %s', {
  status: 409,
})
export const RecordUnreadable = defineError('STK_JOB_RECORD', 'the record of job %s cannot be read: %s', {
  remedy: 'it was written by another version of Stoker, or changed by hand',
})
export const TooManyBadRecords = defineError(
  'STK_JOB_BAD_RECORDS',
  '%d of %s are bad or lost with a damaged shard, more than %s allows',
  {
    status: 422,
    remedy: 'list them with GET /v1/jobs/{id}/bad-records and mend the data, or raise maxBadFraction',
  },
)
