import type { FastifyReply } from 'fastify'

/** Requests that wait for something: each one's signal aborts when its client leaves, and all do when the server stops. */
export class OpenWaits {
  readonly #open = new Set<AbortController>()
  #isEnded = false

  /** A signal for one answer. */
  signal(reply: FastifyReply): AbortSignal {
    const control = new AbortController()
    if (this.#isEnded) control.abort()
    this.#open.add(control)
    reply.raw.once('close', () => {
      this.#open.delete(control)
      control.abort()
    })
    return control.signal
  }

  get isEnded(): boolean {
    return this.#isEnded
  }

  end(): void {
    this.#isEnded = true
    for (const control of this.#open) control.abort()
  }
}
