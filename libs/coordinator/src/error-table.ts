import { defineError } from '@stoker/spec'

export const LintRefused = defineError('STK_JOB_REFUSED', 'the job is refused: %s', { status: 422 })
export const BufferAboveRedis = defineError(
  'STK_JOB_BUFFER_ABOVE_REDIS',
  'bufferBytes is %d and Redis holds at most %d bytes (maxmemory)',
  { status: 422, remedy: 'lower bufferBytes, or raise maxmemory and leave room for the queue' },
)
export const EmptyDataset = defineError('STK_JOB_EMPTY', 'the %d shards of the source hold no record', {
  status: 422,
  remedy: 'check the pattern and the shards',
})
export const EmptyEpoch = defineError(
  'STK_JOB_NO_BATCH',
  'the source holds %d records and a batch takes %d: dropRemainder leaves no batch',
  { status: 422, remedy: 'make batches smaller, or keep the remainder' },
)
