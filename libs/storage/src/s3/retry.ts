import { setTimeout as pause } from 'node:timers/promises'
import type { S3ClientConfig } from '@aws-sdk/client-s3'
import { TruncatedBody } from '../error-table.js'

// Two places can fail for a while: the request (the SDK tells the kinds apart and asks the strategy below) and the body,
// which comes after the SDK calls the request a success. Both take their delays from one table.

interface RetryRow {
  readonly retries: number
  /** Delay before the first retry; it doubles with each. */
  readonly leastMs: number
  readonly mostMs: number
}

export const RETRIES = {
  /** 429, SlowDown: the server asks for less. */
  THROTTLING: { retries: 8, leastMs: 250, mostMs: 10_000 },
  /** Connection refused, reset or timed out; 500, 502, 503, 504. */
  TRANSIENT: { retries: 6, leastMs: 50, mostMs: 5_000 },
  /** Any other 5xx. */
  SERVER_ERROR: { retries: 3, leastMs: 100, mostMs: 5_000 },
  /** 403, 404, 412 and the like: the same request gets the same answer. */
  CLIENT_ERROR: { retries: 0, leastMs: 0, mostMs: 0 },
  /** The connection ended within a body. */
  TRUNCATED: { retries: 5, leastMs: 50, mostMs: 5_000 },
} as const satisfies Record<string, RetryRow>

export const MOST_ATTEMPTS = 1 + Math.max(...Object.values(RETRIES).map((row) => row.retries))

/** Delay before the nth retry (from 1): half of the doubled least delay for certain, the other half by chance. */
export function retryDelayMs(row: RetryRow, retry: number): number {
  const ceiling = Math.min(row.mostMs, row.leastMs * 2 ** (retry - 1))
  return Math.round(ceiling / 2 + (Math.random() * ceiling) / 2)
}

type RetryStrategy = Extract<NonNullable<S3ClientConfig['retryStrategy']>, { acquireInitialRetryToken: unknown }>

export const retryStrategy: RetryStrategy = {
  acquireInitialRetryToken: async () => token(0, 0),
  refreshRetryTokenForRetry: async (last, { errorType, error, retryAfterHint }) => {
    const row = RETRIES[errorType]
    const retry = last.getRetryCount() + 1
    if (retry > row.retries) throw error ?? new Error('no more retries')
    const asked = retryAfterHint ? Math.min(retryAfterHint.getTime() - Date.now(), row.mostMs) : 0
    return token(retry, Math.max(asked, retryDelayMs(row, retry)))
  },
  recordSuccess: () => {},
}

function token(count: number, delayMs: number) {
  return { getRetryCount: () => count, getRetryDelay: () => delayMs }
}

/** Runs the action again when the body it read was cut short. */
export async function retryTruncated<T>(action: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let retry = 1; ; retry++) {
    try {
      return await action()
    } catch (error) {
      if (!TruncatedBody.is(error) || retry > RETRIES.TRUNCATED.retries) throw error
      await waitBeforeRetry(retry, signal)
    }
  }
}

export async function waitBeforeRetry(retry: number, signal: AbortSignal | undefined): Promise<void> {
  await pause(retryDelayMs(RETRIES.TRUNCATED, retry), undefined, signal ? { signal } : {})
}
