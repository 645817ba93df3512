import { defineError } from '@stoker/spec'

export const BatchTruncated = defineError('STK_BATCH_TRUNCATED', 'batch has %d bytes, but needs %d', {
  remedy: 'read the whole value again; when it stays so, report it with the bytes',
})
export const BatchHeaderInvalid = defineError('STK_BATCH_HEADER', 'header of the batch is not valid: %s', {
  remedy: 'these bytes are no batch of Stoker, or one of another version',
})
export const BatchCorrupt = defineError('STK_BATCH_CRC', 'batch is damaged: CRC32C is %s, the header says %s', {
  retryable: true,
  remedy: 'take the batch again; when it stays so, memory or network of a machine is faulty',
})
export const BatchLayoutInvalid = defineError('STK_BATCH_LAYOUT', 'tensor "%s" cannot be put into a batch: %s')
export const BatchNotStored = defineError(
  'STK_BATCH_NOT_STORED',
  'batch %d of epoch %d vanished from Redis before it was committed',
  { retryable: true, remedy: 'the line to Redis is too slow for batches of this size' },
)
export const JobEnded = defineError('STK_BUFFER_JOB_ENDED', 'job %s is %s: it gives no more batches', {
  status: 410,
  remedy: 'look at the job for the reason',
})
export const SlotTooSmall = defineError(
  'STK_RING_SLOT_SIZE',
  'batch %d of epoch %d has %d bytes, but a slot of the ring holds %d',
  { remedy: 'make the ring for the largest batch of the job' },
)
export const RingClosed = defineError('STK_RING_CLOSED', 'the ring was closed by its %s')
export const RingMisused = defineError('STK_RING_MISUSED', '%s')
