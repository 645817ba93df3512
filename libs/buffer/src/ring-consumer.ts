import { RingMisused } from './error-table.js'
import { fail, type RingLayout, STATE, signal, stop, stopError, WORD } from './ring-layout.js'
import { wordMoves } from './ring-wait.js'

/** A batch in its slot. */
export interface TakenSlot {
  readonly epoch: number
  readonly batch: number
  /** Shared memory: valid until `release`. */
  readonly bytes: Uint8Array
  /** Batches that were ready when it was asked for; 0: the consumer had to wait. */
  readonly readyAtTake: number
  readonly waitedMs: number
  /** Gives the slot back. Slots are released in the order in which they were taken. */
  release(): void
}

/** `ended`: the producer ended the ring and all was taken. */
export type TakeOutcome = TakenSlot | 'timeout' | 'ended'

const COUNTER = { takes: 0, emptyTakes: 1, readySum: 2, waitedMs: 3 } as const

/** The using side of a ring. */
export class RingConsumer {
  readonly #layout: RingLayout
  #taken: number

  constructor(layout: RingLayout) {
    this.#layout = layout
    this.#taken = Atomics.load(layout.head, WORD.released)
  }

  /** Batches that can be taken now. */
  get ready(): number {
    return this.#layout.distance(this.#taken, Atomics.load(this.#layout.head, WORD.published))
  }

  /**
   * Takes the next batch; blocks the thread while there is none, so that no other thread's work is needed to wake it.
   *
   * @throws RingClosed, the error the producer failed with
   */
  takeBlocking(timeoutMs: number): TakeOutcome {
    const { head } = this.#layout
    const start = performance.now()
    const readyAtTake = this.#readyOrThrow()
    for (;;) {
      const seen = Atomics.load(head, WORD.toConsumer)
      const outcome = this.#tryTake(start, readyAtTake)
      if (outcome) return outcome
      const leftMs = timeoutMs - (performance.now() - start)
      if (leftMs <= 0) return this.#waitedInVain(start)
      Atomics.wait(head, WORD.toConsumer, seen, leftMs)
    }
  }

  /** The same without blocking the thread. @throws the signal's reason, too */
  async take(
    options: { readonly timeoutMs?: number | undefined; readonly signal?: AbortSignal | undefined } = {},
  ): Promise<TakeOutcome> {
    const { head } = this.#layout
    const { timeoutMs = Number.POSITIVE_INFINITY, signal: abort } = options
    const start = performance.now()
    const readyAtTake = this.#readyOrThrow()
    for (;;) {
      abort?.throwIfAborted()
      const seen = Atomics.load(head, WORD.toConsumer)
      const outcome = this.#tryTake(start, readyAtTake)
      if (outcome) return outcome
      const leftMs = timeoutMs - (performance.now() - start)
      if (leftMs <= 0) return this.#waitedInVain(start)
      await wordMoves(head, WORD.toConsumer, seen, { timeoutMs: leftMs, signal: abort })
    }
  }

  #readyOrThrow(): number {
    const error = stopError(this.#layout)
    if (error) throw error
    return this.ready
  }

  #tryTake(start: number, readyAtTake: number): TakenSlot | 'ended' | undefined {
    const { head, counters } = this.#layout
    // The state is read before the counter: what was published before the end is seen.
    const state = Atomics.load(head, WORD.state)
    if (this.#readyOrThrow() <= 0) return state === STATE.ended ? 'ended' : undefined
    const waitedMs = readyAtTake > 0 ? 0 : performance.now() - start
    add(counters, COUNTER.takes, 1)
    add(counters, COUNTER.emptyTakes, readyAtTake > 0 ? 0 : 1)
    add(counters, COUNTER.readySum, readyAtTake)
    add(counters, COUNTER.waitedMs, waitedMs)
    const at = this.#taken
    this.#taken = this.#layout.next(at)
    const [epoch = 0, batch = 0, length = 0] = this.#layout.info(at)
    const bytes = this.#layout.slot(at).subarray(0, length)
    return { epoch, batch, bytes, readyAtTake, waitedMs, release: () => this.#release(at) }
  }

  /** Time that ended in a timeout was waited, too. */
  #waitedInVain(start: number): 'timeout' {
    add(this.#layout.counters, COUNTER.waitedMs, performance.now() - start)
    return 'timeout'
  }

  #release(at: number): void {
    const { head } = this.#layout
    if (Atomics.compareExchange(head, WORD.released, at, this.#layout.next(at)) !== at) {
      throw RingMisused('slots must be released once, in the order in which they were taken')
    }
    signal(head, WORD.toProducer)
  }

  /** The producer stops at once with RingClosed. */
  close(): void {
    stop(this.#layout, STATE.closedByConsumer)
  }

  /** The producer stops at once with this error. */
  fail(error: unknown): void {
    fail(this.#layout, error)
  }
}

function add(counters: Float64Array, index: number, value: number): void {
  counters[index] = (counters[index] ?? 0) + value
}
