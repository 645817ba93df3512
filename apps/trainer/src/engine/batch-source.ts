import { type DecodedBatch, decodeBatch, type RingConsumer, SlotRing, type TakenSlot } from '@stoker/buffer'
import { BatchOutOfOrder } from '../error-table.js'

export type FeedName = 'train' | 'validation'

export interface WantedBatch {
  readonly feed: FeedName
  readonly epoch: number
  readonly batch: number
}

export interface ReadyBatch {
  readonly batch: number
  /** Views into shared memory: valid until `release`. */
  readonly decoded: DecodedBatch
  readonly records: number
  readonly waitMs: number
  /** Batches that lay ready when this one was asked for; 0: the engine had to wait. */
  readonly ready: number
  release(): void
}

/** The engine's side of the rings that io/feeder.ts fills: one after the other, each larger than the last. */
export class BatchSource {
  readonly #jobOf: Readonly<Record<FeedName, string>>
  readonly #stop: AbortSignal
  readonly #rings: RingConsumer[] = []
  #onRing: () => void = () => {}

  constructor(jobOf: Readonly<Record<FeedName, string>>, stop: AbortSignal) {
    this.#jobOf = jobOf
    this.#stop = stop
  }

  /** A ring to go on with when the ones before are drained. */
  attach(shared: SharedArrayBuffer): void {
    this.#rings.push(SlotRing.attach(shared).consumer())
    this.#onRing()
  }

  /** The next call of `next` will wait. */
  get isDry(): boolean {
    return (this.#rings[0]?.ready ?? 0) === 0
  }

  /**
   * Waits for the next batch; undefined when the epoch ended before it.
   *
   * @throws the stop signal's reason; BatchOutOfOrder when the other thread feeds something else
   */
  async next(wanted: WantedBatch): Promise<ReadyBatch | undefined> {
    const started = performance.now()
    const slot = await this.#take()
    const waitMs = performance.now() - started
    const { epoch, batch, bytes, readyAtTake: ready } = slot
    this.#check(wanted, slot, this.#jobOf[wanted.feed])
    if (bytes.length === 0) {
      slot.release()
      return undefined
    }
    const decoded = decodeBatch(bytes, { verify: false })
    const { records, ...metadata } = decoded.metadata
    this.#check(wanted, { epoch, batch }, metadata.job)
    return { batch, decoded, records, waitMs, ready, release: () => slot.release() }
  }

  #check({ feed, epoch, batch }: WantedBatch, got: { epoch: number; batch: number }, job: string): void {
    if (got.epoch === epoch && got.batch === batch && job === this.#jobOf[feed]) return
    throw BatchOutOfOrder(batch, epoch, this.#jobOf[feed], got.batch, got.epoch).with({ place: { epoch, batch } })
  }

  async #take(): Promise<TakenSlot> {
    for (;;) {
      const [ring] = this.#rings
      if (!ring) {
        await this.#ringComes()
        continue
      }
      const outcome = await ring.take({ signal: this.#stop })
      if (outcome === 'ended') this.#rings.shift()
      else if (outcome !== 'timeout') return outcome
    }
  }

  async #ringComes(): Promise<void> {
    this.#stop.throwIfAborted()
    let onAbort = () => {}
    try {
      await new Promise<void>((resolve, reject) => {
        this.#onRing = resolve
        onAbort = () => reject(this.#stop.reason)
        this.#stop.addEventListener('abort', onAbort)
      })
    } finally {
      this.#stop.removeEventListener('abort', onAbort)
    }
  }
}
