import { setTimeout as pause } from 'node:timers/promises'

/** A process as the supervisor sees it. */
export interface Running {
  readonly pid: number
  readonly exited: Promise<void>
  log(): string
  stop(): Promise<void>
  kill(): void
}

export interface Supervised {
  readonly name: string
  /** Process id; 0 while it is down. */
  pid(): number
  /** Asks it to end, waits for that, and starts it no more. Safe to call twice. */
  stop(): Promise<void>
  kill(): void
}

export type Told =
  | { readonly event: 'died'; readonly name: string; readonly restartMs: number; readonly lastWords: string }
  | { readonly event: 'restarted'; readonly name: string; readonly pid: number }

const LEAST_BACKOFF_MS = 250
const MOST_BACKOFF_MS = 15_000
/** A process that lived so long had started well: the next restart is quick again. */
const LIVED_WELL_MS = 30_000
const LAST_WORDS = 400

/**
 * Starts a process and keeps it there: one that ends by itself is told and started anew, each time after twice the wait
 * of the time before. `start` resolves when the process is ready; its first failure is the caller's.
 */
export async function supervise(
  name: string,
  start: (signal: AbortSignal) => Promise<Running>,
  tell: (told: Told) => void,
): Promise<Supervised> {
  const stopping = new AbortController()
  let current: Running | undefined = await start(stopping.signal)
  const ended = keep()

  async function keep(): Promise<void> {
    let backoffMs = LEAST_BACKOFF_MS
    let startedAt = performance.now()
    let lastWords = ''
    while (!stopping.signal.aborted) {
      if (current) {
        await current.exited
        lastWords = current.log().trim().slice(-LAST_WORDS)
        current = undefined
      }
      if (stopping.signal.aborted) return
      if (performance.now() - startedAt > LIVED_WELL_MS) backoffMs = LEAST_BACKOFF_MS
      tell({ event: 'died', name, restartMs: backoffMs, lastWords })
      await pause(backoffMs, undefined, { signal: stopping.signal }).catch(() => {})
      backoffMs = Math.min(2 * backoffMs, MOST_BACKOFF_MS)
      if (stopping.signal.aborted) return
      startedAt = performance.now()
      current = await start(stopping.signal).catch((error: unknown) => {
        lastWords = error instanceof Error ? error.message : String(error)
        return undefined
      })
      if (current) tell({ event: 'restarted', name, pid: current.pid })
    }
  }

  return {
    name,
    pid: () => current?.pid ?? 0,
    kill: () => current?.kill(),
    stop: async () => {
      const held = current
      stopping.abort()
      await held?.stop()
      await ended
      // It may have come up while the stop was on its way.
      if (current !== held) await current?.stop()
    },
  }
}
