import { setImmediate } from 'node:timers/promises'

/** Signals, messages and timers wait no longer than this (plus one step). */
const HOLD_MS = 10

/**
 * Lets the event loop turn now and then. When batches are always ready and steps are short, a step loop runs on
 * resolved promises alone, and neither a signal nor a message would ever be seen.
 */
export function createBreather(): () => Promise<void> | undefined {
  let last = performance.now()
  return () => {
    if (performance.now() - last < HOLD_MS) return undefined
    return setImmediate().then(() => {
      last = performance.now()
    })
  }
}
