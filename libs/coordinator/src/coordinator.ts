import { randomUUID } from 'node:crypto'
import { toStokerError } from '@stoker/spec'
import { Steward, type StewardParts } from './steward.js'

export interface CoordinatorParts extends StewardParts {
  /** Calls back with the id of a job that changed, until the returned function is called. */
  readonly onWake: (listener: (job: string) => void) => Promise<() => Promise<void>>
  readonly onError?: (job: string, error: unknown) => void
}

export interface Coordinator {
  /** Jobs that this coordinator holds the lease of. */
  readonly held: readonly string[]
  /** Gives its leases back, so that another takes over at once. Safe to call twice. */
  close(): Promise<void>
}

// A dead coordinator's jobs move to another within lease + tick: under five seconds.
const LEASE_MS = 4_000
const TICK_MS = 1_000
const TICKS_TO_FORGET = 5

interface Held {
  readonly steward: Steward
  readonly token: number
  running: Promise<void> | undefined
  again: boolean
}

/**
 * Looks after all live jobs: takes the lease of each free one and steps its steward when the job wakes it, and once a
 * second whatever happens.
 */
export async function startCoordinator(parts: CoordinatorParts): Promise<Coordinator> {
  const { jobs, onError = () => {} } = parts
  const holder = randomUUID()
  const held = new Map<string, Held>()
  let isClosed = false
  let ticks = 0
  let ticking: Promise<void> | undefined

  const run = async (one: Held): Promise<void> => {
    do {
      one.again = false
      try {
        if (!(await one.steward.step())) {
          held.delete(one.steward.id)
          await jobs.releaseLease(one.steward.id, holder)
          return
        }
      } catch (error) {
        if (toStokerError(error).code === 'STK_JOB_UNKNOWN') held.delete(one.steward.id)
        onError(one.steward.id, error)
      }
    } while (one.again && !isClosed)
  }
  /** One step at a time a job; a wake-up during a step causes one more. */
  const step = (one: Held): Promise<void> => {
    one.again = true
    one.running ??= run(one).finally(() => {
      one.running = undefined
    })
    return one.running
  }

  const hold = async (job: string): Promise<void> => {
    const own = held.get(job)
    if (own) {
      if (await jobs.renewLease(job, holder, LEASE_MS)) return
      held.delete(job)
    }
    const token = await jobs.acquireLease(job, holder, LEASE_MS)
    if (token === undefined || isClosed) return
    const taken: Held = { steward: new Steward(job, parts), token, running: undefined, again: false }
    held.set(job, taken)
    await step(taken)
  }

  const tick = async (): Promise<void> => {
    ticks++
    const live = await jobs.live()
    await Promise.all(live.map((job) => hold(job).catch((error: unknown) => onError(job, error))))
    for (const one of held.values()) {
      if (ticks % TICKS_TO_FORGET === 0) one.steward.forget()
      void step(one)
    }
  }
  const tickSafely = (): Promise<void> => {
    ticking ??= tick()
      .catch((error: unknown) => onError('', error))
      .finally(() => {
        ticking = undefined
      })
    return ticking
  }

  const stopListening = await parts.onWake((job) => {
    const one = held.get(job)
    if (one) void step(one)
    else void tickSafely()
  })
  const timer = setInterval(() => void tickSafely(), TICK_MS)
  void tickSafely()

  return {
    get held() {
      return [...held.keys()]
    },
    async close() {
      if (isClosed) return
      isClosed = true
      clearInterval(timer)
      await stopListening()
      await ticking
      await Promise.all([...held.values()].map((one) => one.running))
      await Promise.all(
        [...held.keys()].map((job) => jobs.releaseLease(job, holder).catch((error: unknown) => onError(job, error))),
      )
      held.clear()
    },
  }
}
