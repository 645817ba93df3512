import { defineError } from '@stoker/spec'

export const BatchUnknown = defineError(
  'STK_PLAN_BATCH_UNKNOWN',
  'batch %d of epoch %d is not known yet: shards are still being indexed',
  {
    status: 409,
    retryable: true,
    remedy: 'ask again when the job has indexed more shards',
  },
)
export const BatchOutside = defineError('STK_PLAN_BATCH_OUTSIDE', 'there is no batch %d in epoch %d: the job has %s', {
  status: 404,
  remedy: 'ask for a batch that the job has',
})
