import type { S3ClientConfig } from '@aws-sdk/client-s3'
import { type OnRetry, RETRIES, retryDelayMs } from '../retry.js'

export type RetryStrategy = Extract<NonNullable<S3ClientConfig['retryStrategy']>, { acquireInitialRetryToken: unknown }>

/** The SDK tells the kinds of failure apart and asks this how long to wait, if at all. */
export function createRetryStrategy(onRetry: OnRetry | undefined): RetryStrategy {
  return {
    acquireInitialRetryToken: async () => token(0, 0),
    refreshRetryTokenForRetry: async (last, { errorType, error, retryAfterHint }) => {
      const row = RETRIES[errorType]
      const retry = last.getRetryCount() + 1
      if (retry > row.retries) throw error ?? new Error('no more retries')
      const asked = retryAfterHint ? Math.min(retryAfterHint.getTime() - Date.now(), row.mostMs) : 0
      const delayMs = Math.max(asked, retryDelayMs(row, retry))
      onRetry?.({ reason: errorType, retry, delayMs })
      return token(retry, delayMs)
    },
    recordSuccess: () => {},
  }
}

function token(count: number, delayMs: number) {
  return { getRetryCount: () => count, getRetryDelay: () => delayMs }
}
