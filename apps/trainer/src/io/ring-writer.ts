import { type RingProducer, SlotRing } from '@stoker/buffer'
import type { BatchAt } from '@stoker/plan'

export interface RingBounds {
  readonly ringBytes: number
  readonly ringSlots: number
}

/** Room for headers that grow by a digit, and for feeds whose batches differ a little. */
const MARGIN_BYTES = 4096

/**
 * Writes batches into a ring of shared memory, and the end of each epoch as a slot without bytes. The ring is made when
 * the first batch shows how large a slot must be; a larger batch ends it, and a larger ring follows.
 */
export class RingWriter {
  readonly #bounds: RingBounds
  readonly #onRing: (shared: SharedArrayBuffer) => void
  readonly #signal: AbortSignal
  #slotBytes = 0
  #ring: RingProducer | undefined

  constructor(bounds: RingBounds, onRing: (shared: SharedArrayBuffer) => void, signal: AbortSignal) {
    this.#bounds = bounds
    this.#onRing = onRing
    this.#signal = signal
  }

  /** Waits for a free slot and copies the batch there. @throws the signal's reason */
  async put({ epoch, batch }: BatchAt, bytes: Uint8Array): Promise<void> {
    const slot = await this.#ringFor(bytes.length).reserve(this.#signal)
    slot.bytes.set(bytes)
    slot.publish({ epoch, batch, length: bytes.length })
  }

  /** @param at its `batch` is the epoch's number of batches. */
  async endEpoch({ epoch, batch }: BatchAt): Promise<void> {
    const slot = await this.#ringFor(0).reserve(this.#signal)
    slot.publish({ epoch, batch, length: 0 })
  }

  #ringFor(bytes: number): RingProducer {
    if (this.#ring && bytes <= this.#slotBytes) return this.#ring
    this.#ring?.end()
    this.#slotBytes = bytes + MARGIN_BYTES
    const ring = SlotRing.create({ slots: slotsOf(this.#bounds, this.#slotBytes), slotBytes: this.#slotBytes })
    this.#ring = ring.producer()
    this.#onRing(ring.shared)
    return this.#ring
  }
}

/** As many slots as the bytes allow, at most as many as asked for, and one in any case. */
export const slotsOf = ({ ringBytes, ringSlots }: RingBounds, slotBytes: number): number =>
  Math.max(1, Math.min(ringSlots, Math.floor(ringBytes / slotBytes)))
