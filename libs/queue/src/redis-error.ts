import { StokerError } from '@stoker/spec'
import type { Redis } from 'ioredis'
import { placeOf } from './address.js'
import { RedisFull, RedisRefused, RedisUnavailable } from './error-table.js'

// A reply error has no code but its first word, which the protocol defines for this use.
const REPLY_WORDS = {
  WRONGPASS: RedisRefused,
  NOAUTH: RedisRefused,
  NOPERM: RedisRefused,
  OOM: RedisFull,
  LOADING: RedisUnavailable,
  MASTERDOWN: RedisUnavailable,
  CLUSTERDOWN: RedisUnavailable,
  TRYAGAIN: RedisUnavailable,
  READONLY: RedisUnavailable,
  MISCONF: RedisUnavailable,
  BUSY: RedisUnavailable,
} as const

const isReplyWord = (word: string): word is keyof typeof REPLY_WORDS => Object.hasOwn(REPLY_WORDS, word)

/** Fault of the line, as ioredis and Node name them. */
const LINE_FAULTS = new Set(['MaxRetriesPerRequestError', 'AbortError', 'ConnectionClosedError'])
const LINE_TEXTS = ['Connection is closed.', 'Command timed out', 'Ready check failed', 'Socket timeout']

/**
 * A coded error for what a connection threw; a coded one comes back unchanged.
 *
 * @param last the last 'error' event of the connection: says why, where the command's own error only says that.
 */
export function toRedisError(error: unknown, redis: Redis, last?: unknown): StokerError {
  return asRedisError(error, redis, last) ?? RedisUnavailable(placeText(redis), textOf(error)).with({ cause: error })
}

/** A coded error when ioredis threw it because of the line, the login or the memory of Redis; else undefined. */
export function asRedisError(error: unknown, redis?: Redis, last?: unknown): StokerError | undefined {
  if (error instanceof StokerError) return error
  if (!(error instanceof Error)) return undefined
  const word = /^(?:-)?(?:Ready check failed: )?([A-Z]+)\b/.exec(error.message)?.[1] ?? ''
  if (isReplyWord(word)) return REPLY_WORDS[word](placeText(redis), error.message).with({ cause: error })
  const isLineFault =
    LINE_FAULTS.has(error.name) ||
    LINE_TEXTS.some((text) => error.message.startsWith(text)) ||
    ('syscall' in error && 'code' in error)
  if (!isLineFault) return undefined
  const why = last === undefined ? undefined : asRedisError(last, redis)
  return why ?? RedisUnavailable(placeText(redis), textOf(error)).with({ cause: error })
}

const placeText = (redis: Redis | undefined): string => (redis ? placeOf(redis) : 'its address')

function textOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return textOf(error.errors[0])
  return error instanceof Error ? error.message || error.name : String(error)
}

/** The same object whose asynchronous methods throw coded errors for faults of Redis. */
export function withRedisErrors<Api extends object>(redis: Redis, api: Api): Api {
  const coded = (error: unknown): never => {
    throw asRedisError(error, redis) ?? error
  }
  const wrapped = Object.entries(api).map(([name, member]) => [
    name,
    typeof member !== 'function'
      ? member
      : (...args: readonly unknown[]) => {
          const answer: unknown = member(...args)
          return answer instanceof Promise ? answer.catch(coded) : answer
        },
  ])
  return Object.fromEntries(wrapped) as Api
}
