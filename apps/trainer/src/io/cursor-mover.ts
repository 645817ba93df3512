import type { BatchAt } from '@stoker/plan'

/**
 * Moves the cursor of one feed behind what was taken, without making the taker wait: one write is under way at a time,
 * and the next one carries the latest place.
 */
export class CursorMover {
  readonly #write: (cursor: BatchAt) => Promise<void>
  #wanted: BatchAt | undefined
  #moving: Promise<void> | undefined
  #failure: unknown

  constructor(write: (cursor: BatchAt) => Promise<void>) {
    this.#write = write
  }

  /** @throws what an earlier write threw. */
  move(cursor: BatchAt): void {
    if (this.#failure !== undefined) throw this.#failure
    this.#wanted = cursor
    this.#moving ??= this.#run()
  }

  /** Waits until Redis has the latest place. @throws what a write threw. */
  async settled(): Promise<void> {
    await this.#moving
    if (this.#failure !== undefined) throw this.#failure
  }

  async #run(): Promise<void> {
    try {
      while (this.#wanted !== undefined) {
        const cursor = this.#wanted
        this.#wanted = undefined
        await this.#write(cursor)
      }
    } catch (error) {
      this.#failure = error
    } finally {
      this.#moving = undefined
    }
  }
}
