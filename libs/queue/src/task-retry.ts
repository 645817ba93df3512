import { RedisFull, RedisUnavailable } from './error-table.js'

export interface RetryRule {
  /** Tries in all, the first one counted. */
  readonly attempts: number
  /** The first delay lies around `leastMs`; it doubles up to `mostMs`. */
  readonly leastMs: number
  readonly mostMs: number
}

const RULE: RetryRule = { attempts: 3, leastMs: 500, mostMs: 5_000 }

/** Faults that end by themselves or by an operator's hand, and never are the job's: its tasks wait them out. */
const RULES: Readonly<Record<string, RetryRule>> = {
  [RedisFull.code]: { attempts: Number.POSITIVE_INFINITY, leastMs: 500, mostMs: 5_000 },
  [RedisUnavailable.code]: { attempts: Number.POSITIVE_INFINITY, leastMs: 500, mostMs: 5_000 },
}

/** How often and when a task is tried again after a retryable error with this code. */
export const retryRule = (code: string): RetryRule => RULES[code] ?? RULE

/** Delay before the next try, after so many failed ones: half of it fixed, half random. */
export function retryDelayMs(code: string, failed: number, random: () => number = Math.random): number {
  const { leastMs, mostMs } = retryRule(code)
  const fullMs = Math.min(mostMs, leastMs * 2 ** Math.min(failed - 1, 20))
  return Math.round(fullMs / 2 + (random() * fullMs) / 2)
}
