import { RingConsumer } from './ring-consumer.js'
import { DEFAULT_ERROR_BYTES, layoutOf, type RingLayout, type RingSize } from './ring-layout.js'
import { RingProducer } from './ring-producer.js'

/*
 * Batches between two threads of one process, in shared memory of fixed size.
 *
 *   free --reserve--> reserved --publish--> ready --take--> taken --release--> free
 *
 * The producer (an I/O thread) reserves a slot, writes a batch into it and publishes it; the consumer (the engine
 * thread) takes slots in the order in which they were reserved and releases each one after use. Bounds: `slots` batches
 * of at most `slotBytes` each; a larger one is refused, never grown into.
 *
 * Full (no free slot): `reserve` waits, so that the producer reads no further from Redis. Empty (no ready slot): the
 * consumer waits; `waitedMs` counts that time, and `readyAtTake` says how many batches were there when it asked. Both
 * wait on a counter in the shared memory that the other side moves (Atomics.wait, Atomics.waitAsync), never on a timer.
 *
 * `end` lets the consumer take what is left, then tells it that nothing follows. `close` tells the other side to stop at
 * once. `fail` does so with an error, which the other side throws. When the process dies, what is in the ring is lost: it
 * is still in Redis, because the cursor moves only after a batch was trained on.
 */
export class SlotRing {
  readonly slots: number
  readonly slotBytes: number
  /** Hand it to the other thread, which attaches to it. */
  readonly shared: SharedArrayBuffer
  readonly #layout: RingLayout

  private constructor(layout: RingLayout) {
    this.#layout = layout
    this.shared = layout.shared
    this.slots = layout.slots
    this.slotBytes = layout.slotBytes
  }

  static create({ slots, slotBytes }: RingSize): SlotRing {
    return new SlotRing(layoutOf({ slots, slotBytes, errorBytes: DEFAULT_ERROR_BYTES }))
  }

  /** @throws RingMisused when the memory is no ring. */
  static attach(shared: SharedArrayBuffer): SlotRing {
    return new SlotRing(layoutOf(shared))
  }

  /** The filling side; one a ring. */
  producer(): RingProducer {
    return new RingProducer(this.#layout)
  }

  /** The using side; one a ring. */
  consumer(): RingConsumer {
    return new RingConsumer(this.#layout)
  }

  /** Readable from any thread. */
  stats(): RingStats {
    const { counters } = this.#layout
    const [takes = 0, emptyTakes = 0, readySum = 0, waitedMs = 0] = counters
    return { takes, emptyTakes, readySum, waitedMs }
  }
}

export interface RingStats {
  readonly takes: number
  /** Takes that found nothing ready. */
  readonly emptyTakes: number
  /** Sum over all takes of the batches that were ready; divided by `takes`: the mean depth. */
  readonly readySum: number
  readonly waitedMs: number
}
