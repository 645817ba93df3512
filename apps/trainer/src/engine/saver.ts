import type { TrainingModel } from '@stoker/engine'
import type { ModelFormat } from '@stoker/spec'
import type { Files, FromEngine, SaveKind } from '../protocol.js'
import type { TrainingState } from '../training-state.js'

/**
 * Hands checkpoints to the I/O thread. The files are taken while no step runs, together with the state that belongs to
 * them; the upload goes on beside the next steps. At most one is under way, so memory holds at most two copies.
 */
export class Saver {
  readonly #post: (message: FromEngine, transfer: ArrayBuffer[]) => void
  #nextId = 1
  #savedStep: number
  #savedEpochs: number
  #underWay: { readonly id: number; readonly done: () => void; readonly written: Promise<void> } | undefined

  /** @param resumed the state that is in the store already. */
  constructor(post: (message: FromEngine, transfer: ArrayBuffer[]) => void, resumed: TrainingState | undefined) {
    this.#post = post
    this.#savedStep = resumed?.step ?? 0
    this.#savedEpochs = resumed?.epochs.length ?? 0
  }

  /** A checkpoint of this state, unless the store has it already. */
  async checkpoint(model: TrainingModel, state: TrainingState): Promise<void> {
    if (state.step === this.#savedStep && state.epochs.length === this.#savedEpochs) return
    await this.settled()
    this.#send('checkpoint', await model.save(), state)
    this.#savedStep = state.step
    this.#savedEpochs = state.epochs.length
  }

  /** The best epoch so far, kept beside the checkpoints. */
  async best(model: TrainingModel, state: TrainingState): Promise<void> {
    await this.settled()
    this.#send('best', await model.save(), state)
  }

  async model(model: TrainingModel, state: TrainingState, formats: readonly ModelFormat[] | undefined): Promise<void> {
    await this.settled()
    this.#send('model', await model.exportModel(formats), state)
    await this.settled()
  }

  /** Waits until nothing is on its way to the store. */
  async settled(): Promise<void> {
    await this.#underWay?.written
  }

  /** The I/O thread has written it. When it cannot, it ends the session. */
  saved(id: number): void {
    if (this.#underWay?.id === id) this.#underWay.done()
  }

  /** Nobody will answer any more. */
  abandon(): void {
    this.#underWay?.done()
  }

  #send(what: SaveKind, files: Files, state: TrainingState): void {
    const id = this.#nextId++
    let done = () => {}
    const written = new Promise<void>((resolve) => {
      done = resolve
    })
    this.#underWay = { id, done, written }
    this.#post({ type: 'save', id, what, files, state }, wholeBuffers(files))
  }
}

/** Buffers that can move to the other thread instead of being copied: owned by exactly one file. */
function wholeBuffers(files: Files): ArrayBuffer[] {
  const owned = new Map<ArrayBuffer, boolean>()
  for (const bytes of files.values()) {
    const { buffer } = bytes
    if (!(buffer instanceof ArrayBuffer)) continue
    owned.set(buffer, !owned.has(buffer) && bytes.byteLength === buffer.byteLength && !Buffer.isBuffer(bytes))
  }
  return [...owned].flatMap(([buffer, isWhole]) => (isWhole ? [buffer] : []))
}
