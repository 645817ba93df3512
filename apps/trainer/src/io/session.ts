import { MessageChannel, type MessagePort } from 'node:worker_threads'
import type { Files, FromEngine, SessionOutcome, SessionStart, StopReason, ToEngine } from '../protocol.js'

type Save = Extract<FromEngine, { type: 'save' }>
type Told = Exclude<FromEngine, { type: 'save' | 'readBest' | 'ended' }>

export interface SessionParts {
  readonly start: SessionStart
  /** Gives the engine thread its end of the channel. */
  readonly open: (start: SessionStart, port: MessagePort) => void
  /** Puts a checkpoint or the model into the store. */
  readonly save: (save: Save) => Promise<void>
  /** Files of the best epoch's checkpoint. */
  readonly readBest: () => Promise<Files>
  readonly tell: (told: Told) => void
}

/** The I/O thread's side of one job on the engine thread. */
export class Session {
  readonly #port: MessagePort
  readonly #parts: SessionParts
  #failure: unknown
  #saving: Promise<void> = Promise.resolve()
  /** What the engine said last. Settles when no checkpoint is on its way any more, too. */
  readonly ended: Promise<SessionOutcome>

  constructor(parts: SessionParts) {
    this.#parts = parts
    const { port1, port2 } = new MessageChannel()
    this.#port = port1
    this.ended = new Promise<SessionOutcome>((resolve) => {
      port1.on('message', (message: FromEngine) => {
        if (message.type === 'save') this.#save(message)
        else if (message.type === 'readBest') this.#readBest()
        else if (message.type === 'ended') resolve(message.outcome)
        else parts.tell(message)
      })
    }).then(async (outcome) => {
      await this.#saving
      port1.close()
      if (this.#failure !== undefined) throw this.#failure
      return outcome
    })
    // Whoever awaits it hears of the error; until then it is not unhandled.
    this.ended.catch(() => {})
    parts.open(parts.start, port2)
  }

  addRing(ring: SharedArrayBuffer): void {
    this.#post({ type: 'ring', ring })
  }

  /** The engine ends the session after the step under way; with `drain` it saves a checkpoint before. */
  stop(reason: StopReason): void {
    this.#post({ type: 'stop', reason })
  }

  /** Ends the session; `ended` rejects with the first such error. */
  fail(error: unknown): void {
    this.#failure ??= error
    this.stop('dropped')
  }

  #save(message: Save): void {
    this.#saving = this.#parts.save(message).then(
      () => this.#post({ type: 'saved', id: message.id }),
      (error: unknown) => this.fail(error),
    )
  }

  #readBest(): void {
    // What the engine has sent to be saved comes first.
    void this.#saving
      .then(() => this.#parts.readBest())
      .then(
        (files) => this.#post({ type: 'best', files }),
        (error: unknown) => this.fail(error),
      )
  }

  #post(message: ToEngine): void {
    this.#port.postMessage(message)
  }
}
