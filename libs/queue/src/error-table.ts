import { defineError } from '@stoker/spec'

export const RedisAddressInvalid = defineError('STK_REDIS_ADDRESS', '"%s" is no Redis address', {
  status: 400,
  remedy: 'write redis://user:password@host:6379/0, rediss:// for TLS, or unix:///path/to/socket',
})
export const RedisCaUnreadable = defineError('STK_REDIS_CA', 'the certificates in %s cannot be read: %s', {
  remedy: 'set STOKER_REDIS_CA_FILE to a PEM file that this process may read',
})
export const RedisUnavailable = defineError('STK_REDIS_UNAVAILABLE', 'Redis at %s does not answer: %s', {
  status: 503,
  retryable: true,
  remedy: 'check that Redis runs and that this machine reaches it',
})
export const RedisRefused = defineError('STK_REDIS_REFUSED', 'Redis at %s refuses this user: %s', {
  status: 503,
  remedy:
    'check user and password in STOKER_REDIS_URL (write @, / and # in a password as %40, %2F and %23), and its ACL',
})
export const RedisFull = defineError('STK_REDIS_FULL', 'Redis at %s has no room left: %s', {
  status: 503,
  retryable: true,
  remedy: 'raise maxmemory of Redis, or lower bufferBytes of the jobs',
})
export const RedisTooOld = defineError('STK_REDIS_TOO_OLD', 'Redis at %s is version %s, but 6.2 or later is needed', {
  remedy: 'upgrade Redis, or point STOKER_REDIS_URL at another server',
})
export const RedisEvicts = defineError('STK_REDIS_EVICTS', 'Redis at %s evicts keys (maxmemory-policy %s)', {
  remedy: 'run: redis-cli CONFIG SET maxmemory-policy noeviction, and put it into redis.conf',
})
export const TaskInvalid = defineError('STK_TASK_INVALID', 'task %s has no valid payload: %s', {
  remedy: 'the queue was written by another version of Stoker: drain it, then start this version',
})
/** Reason of a task's AbortSignal: the worker closes, and another one has got the task already. */
export const TaskHandedBack = defineError('STK_TASK_HANDED_BACK', 'task %s was handed back: this worker closes', {
  retryable: true,
})
/** Reason of a task's AbortSignal: its lock ran out, another worker may run it by now. */
export const TaskLockLost = defineError('STK_TASK_LOCK_LOST', 'the lock of task %s was lost', { retryable: true })
