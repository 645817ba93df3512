import { randomUUID } from 'node:crypto'
import { JobUnknown } from '@stoker/jobs'
import type { WakeListener } from '@stoker/queue'
import { Steward, type StewardParts } from './steward.js'

export interface CoordinatorParts extends StewardParts {
  /** Listens for jobs that changed; a hint that spares waiting for the next tick. */
  readonly listen: (listener: WakeListener) => { close(): void }
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
export function startCoordinator(parts: CoordinatorParts): Coordinator {
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
          await jobs.releaseLease(one.steward.id, one.token)
          await cleanUp()
          return
        }
      } catch (error) {
        if (JobUnknown.is(error)) held.delete(one.steward.id)
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
      if (await jobs.renewLease(job, own.token, LEASE_MS)) return
      held.delete(job)
    }
    const token = await jobs.acquireLease(job, holder, LEASE_MS)
    if (token === undefined || isClosed) return
    const taken: Held = { steward: new Steward(job, parts), token, running: undefined, again: false }
    held.set(job, taken)
    void step(taken)
  }

  /** Frees what ended jobs left, whoever ended them and whether or not a coordinator was there; twice does no harm. */
  const cleanUp = async (): Promise<void> => {
    const ended = await jobs.ended()
    for (const job of ended) {
      await parts.tasks.removeTasks(job)
      await parts.buffer.drop(job)
    }
    await jobs.setCleaned(ended)
  }

  const tick = async (): Promise<void> => {
    ticks++
    await cleanUp()
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

  const ears = parts.listen({
    onWake: (job) => {
      const one = held.get(job)
      if (one) void step(one)
      else void tickSafely()
    },
    onGap: () => void tickSafely(),
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
      ears.close()
      await ticking
      await Promise.all([...held.values()].map((one) => one.running))
      await Promise.all(
        [...held].map(([job, { token }]) =>
          jobs.releaseLease(job, token).catch((error: unknown) => onError(job, error)),
        ),
      )
      held.clear()
    },
  }
}
