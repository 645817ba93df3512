import { RingMisused, SlotTooSmall } from './error-table.js'
import { fail, type RingLayout, STATE, signal, stop, stopError, WORD } from './ring-layout.js'
import { wordMoves } from './ring-wait.js'

/** A slot to write a batch into. */
export interface ReservedSlot {
  /** `slotBytes` bytes of shared memory. */
  readonly bytes: Uint8Array
  /** Hands the batch over. Slots are published in the order in which they were reserved. */
  publish(batch: { readonly epoch: number; readonly batch: number; readonly length: number }): void
}

/** The filling side of a ring. Several slots may be reserved and filled at once. */
export class RingProducer {
  readonly #layout: RingLayout
  #reserved: number
  #turn: Promise<unknown> = Promise.resolve()

  constructor(layout: RingLayout) {
    this.#layout = layout
    this.#reserved = Atomics.load(layout.head, WORD.published)
  }

  /** Slots that could be reserved now. */
  get free(): number {
    const { head, slots } = this.#layout
    return slots - this.#layout.distance(Atomics.load(head, WORD.released), this.#reserved)
  }

  /**
   * Waits for a free slot; concurrent calls get theirs in the order of the calls.
   *
   * @throws RingClosed, the error the consumer failed with, the signal's reason
   */
  reserve(abort?: AbortSignal): Promise<ReservedSlot> {
    const mine = this.#turn.then(() => this.#reserveNext(abort))
    this.#turn = mine.catch(() => {})
    return mine
  }

  async #reserveNext(abort: AbortSignal | undefined): Promise<ReservedSlot> {
    const { head } = this.#layout
    for (;;) {
      abort?.throwIfAborted()
      const seen = Atomics.load(head, WORD.toProducer)
      this.#throwIfStopped()
      if (this.free > 0) break
      await wordMoves(head, WORD.toProducer, seen, { signal: abort })
    }
    const at = this.#reserved
    this.#reserved = this.#layout.next(at)
    return {
      bytes: this.#layout.slot(at),
      publish: (batch) => this.#publish(at, batch),
    }
  }

  #publish(at: number, { epoch, batch, length }: { epoch: number; batch: number; length: number }): void {
    const { head, slotBytes } = this.#layout
    if (length > slotBytes) throw SlotTooSmall(batch, epoch, length, slotBytes).with({ place: { epoch, batch } })
    if (Atomics.load(head, WORD.published) !== at) {
      throw RingMisused('slots must be published once, in the order in which they were reserved')
    }
    this.#throwIfStopped()
    this.#layout.info(at).set([epoch, batch, length])
    Atomics.store(head, WORD.published, this.#layout.next(at))
    signal(head, WORD.toConsumer)
  }

  #throwIfStopped(): void {
    const error = stopError(this.#layout)
    if (error) throw error
    if (Atomics.load(this.#layout.head, WORD.state) === STATE.ended)
      throw RingMisused('the producer has ended the ring')
  }

  /** Nothing follows what is published; the consumer takes that first. */
  end(): void {
    const { head } = this.#layout
    if (Atomics.compareExchange(head, WORD.state, STATE.open, STATE.ended) === STATE.open) signal(head, WORD.toConsumer)
  }

  /** The consumer stops at once with RingClosed. */
  close(): void {
    stop(this.#layout, STATE.closedByProducer)
  }

  /** The consumer stops at once with this error. */
  fail(error: unknown): void {
    fail(this.#layout, error)
  }
}
