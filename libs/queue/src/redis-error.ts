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

/** Faults of the line, as ioredis names them. */
const LINE_FAULTS = new Set([
  'MaxRetriesPerRequestError',
  'AbortError',
  'ConnectionClosedError',
  'ClusterAllFailedError',
])
const LINE_TEXTS = [
  'Connection is closed.',
  'Command timed out',
  'Ready check failed',
  'Socket timeout',
  'None of startup nodes',
]

const isLineFault = (error: Error): boolean =>
  LINE_FAULTS.has(error.name) || LINE_TEXTS.some((text) => error.message.startsWith(text))

/** Why a line broke: a command's own error says only that it did. */
const lastFaults = new WeakMap<Redis, Error>()

/** Remembers what a connection's 'error' event told. */
export function noteFault(redis: Redis, error: Error): void {
  const fault = nodeFault(error)
  if (!isLineFault(fault)) lastFaults.set(redis, fault)
}
export const forgetFault = (redis: Redis): void => void lastFaults.delete(redis)

/** A coded error for whatever a connection threw; a coded one comes back unchanged. */
export function toRedisError(error: unknown, redis: Redis): StokerError {
  return asRedisError(error, redis) ?? codedFault(error, redis)
}

/** A cluster's own error says only that no node serves; the last node's says why. */
const nodeFault = (error: Error): Error =>
  'lastNodeError' in error && error.lastNodeError instanceof Error ? error.lastNodeError : error

/** A coded error when ioredis threw it because of the line, the login or the memory of Redis; else undefined. */
export function asRedisError(error: unknown, redis?: Redis): StokerError | undefined {
  if (error instanceof StokerError) return error
  if (!(error instanceof Error)) return undefined
  if (isLineFault(error)) return codedFault((redis && lastFaults.get(redis)) ?? nodeFault(error), redis)
  return error.name === 'ReplyError' && replyKind(error) ? codedFault(error, redis) : undefined
}

const codedFault = (fault: unknown, redis: Redis | undefined): StokerError =>
  (replyKind(fault) ?? RedisUnavailable)(placeText(redis), textOf(fault)).with({ cause: fault })

function replyKind(fault: unknown) {
  const word = fault instanceof Error ? (/^(?:Ready check failed: )?([A-Z]+)\b/.exec(fault.message)?.[1] ?? '') : ''
  return isReplyWord(word) ? REPLY_WORDS[word] : undefined
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
