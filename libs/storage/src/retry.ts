import { setTimeout as pause } from 'node:timers/promises'
import { TruncatedBody } from './error-table.js'

// Two places can fail for a while: the request, and the body, which comes after the request counts as answered. All
// stores take their delays from one table.

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

export type RetryReason = keyof typeof RETRIES

export const MOST_ATTEMPTS = 1 + Math.max(...Object.values(RETRIES).map((row) => row.retries))

/** One wait before a request is sent again. */
export interface Retry {
  readonly reason: RetryReason
  /** Which retry of this request, from 1. */
  readonly retry: number
  readonly delayMs: number
}
export type OnRetry = (retry: Retry) => void

/** Delay before the nth retry (from 1): half of the doubled least delay for certain, the other half by chance. */
export function retryDelayMs(row: RetryRow, retry: number): number {
  const ceiling = Math.min(row.mostMs, row.leastMs * 2 ** (retry - 1))
  return Math.round(ceiling / 2 + (Math.random() * ceiling) / 2)
}

/** Runs the action again when the body it read was cut short. */
export async function retryTruncated<T>(
  action: () => Promise<T>,
  signal: AbortSignal | undefined,
  onRetry?: OnRetry,
): Promise<T> {
  for (let retry = 1; ; retry++) {
    try {
      return await action()
    } catch (error) {
      if (!TruncatedBody.is(error) || retry > RETRIES.TRUNCATED.retries) throw error
      await waitBeforeRetry('TRUNCATED', retry, signal, onRetry)
    }
  }
}

/** @param askedMs what the server asked for, kept up to the longest delay of the row */
export async function waitBeforeRetry(
  reason: RetryReason,
  retry: number,
  signal: AbortSignal | undefined,
  onRetry?: OnRetry,
  askedMs = 0,
): Promise<void> {
  const row = RETRIES[reason]
  const delayMs = Math.max(retryDelayMs(row, retry), Math.min(askedMs, row.mostMs))
  onRetry?.({ reason, retry, delayMs })
  await pause(delayMs, undefined, signal ? { signal } : {})
}
