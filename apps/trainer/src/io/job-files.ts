import {
  type Checkpoint,
  CheckpointCorrupt,
  listCheckpoints,
  pruneCheckpoints,
  readCheckpoint,
  writeCheckpoint,
} from '@stoker/engine'
import type { ResumeToken, StokerError } from '@stoker/spec'
import { joinUri, type ObjectStore } from '@stoker/storage'
import { CheckpointForeign } from '../error-table.js'
import type { Files, SessionStart } from '../protocol.js'
import { isTrainingState, type TrainingState } from '../training-state.js'

/** Beside the model's files in a checkpoint: `{state, token}` as JSON. */
const TRAINING_FILE = 'training.json'
const KEEP = 2

export interface JobFilesOptions {
  readonly store: ObjectStore
  /** STOKER_STORE. */
  readonly root: string
  readonly job: string
  readonly specHash: string
  readonly seed: number
  readonly keep: number | undefined
  /** A damaged checkpoint was passed over. */
  readonly onDamage: (error: StokerError) => void
}

/** What one job has in the store, below `jobs/<id>/`: `checkpoints/...`, `best/...` (one checkpoint) and `model/...`. */
export class JobFiles {
  /** URI of the model's folder. */
  readonly model: string
  readonly #checkpoints: string
  readonly #best: string
  readonly #options: JobFilesOptions
  #last: { readonly uri: string; readonly step: number } | undefined

  constructor(options: JobFilesOptions) {
    this.#options = options
    this.model = joinUri(options.root, 'jobs', options.job, 'model')
    this.#checkpoints = joinUri(options.root, 'jobs', options.job, 'checkpoints')
    this.#best = joinUri(options.root, 'jobs', options.job, 'best')
  }

  /** URI of the checkpoint written or read last. */
  get lastCheckpoint(): string {
    return this.#last?.uri ?? ''
  }

  /**
   * The newest checkpoint that is whole.
   *
   * @throws CheckpointCorrupt when there are some and none is whole; CheckpointForeign when it belongs to another spec
   */
  async latestCheckpoint(): Promise<SessionStart['resume']> {
    const found = await this.#newestWhole()
    if (!found) return undefined
    const { specHash } = this.#options
    if (found.manifest.specHash !== specHash) throw CheckpointForeign(found.uri, found.manifest.specHash, specHash)
    const files = new Map(found.files)
    const bytes = files.get(TRAINING_FILE)
    files.delete(TRAINING_FILE)
    const text = bytes && Buffer.from(bytes).toString('utf8')
    const { state } = text ? (JSON.parse(text) as { state?: unknown }) : {}
    if (!isTrainingState(state)) throw CheckpointForeign(found.uri, 'another version of Stoker', specHash)
    this.#last = { uri: found.uri, step: state.step }
    return { state, files }
  }

  async #newestWhole(): Promise<Checkpoint | undefined> {
    let damage: unknown
    for (const uri of await listCheckpoints(this.#options.store, this.#checkpoints)) {
      try {
        return await readCheckpoint(this.#options.store, uri)
      } catch (error) {
        if (!CheckpointCorrupt.is(error)) throw error
        this.#options.onDamage(error)
        damage ??= error
      }
    }
    if (damage !== undefined) throw damage
    return undefined
  }

  /** Returns its URI. Older ones are removed, but for the last `checkpoint.keep`. */
  async writeCheckpoint(files: Files, state: TrainingState): Promise<string> {
    const uri = await this.#write(this.#checkpoints, files, state)
    // The end of an epoch may come at the step of the last checkpoint; of two with one step, none is the newer.
    if (this.#last?.step === state.step) await this.#remove(this.#last.uri)
    await pruneCheckpoints(this.#options.store, this.#checkpoints, this.#options.keep ?? KEEP)
    this.#last = { uri, step: state.step }
    return uri
  }

  /** The checkpoint of the best epoch so far; the ones before it are removed. Returns its URI. */
  async writeBest(files: Files, state: TrainingState): Promise<string> {
    const { store } = this.#options
    const before = await listCheckpoints(store, this.#best)
    const uri = await this.#write(this.#best, files, state)
    for (const old of before) await this.#remove(old)
    return uri
  }

  /** URI of the best epoch's checkpoint; undefined when the job watches none. */
  async bestCheckpoint(): Promise<string | undefined> {
    const [uri] = await listCheckpoints(this.#options.store, this.#best)
    return uri
  }

  /** @throws CheckpointCorrupt, ObjectMissing */
  async readBest(): Promise<Files> {
    const uri = (await this.bestCheckpoint()) ?? this.#best
    const files = new Map((await readCheckpoint(this.#options.store, uri)).files)
    files.delete(TRAINING_FILE)
    return files
  }

  async #write(prefix: string, files: Files, state: TrainingState): Promise<string> {
    const { store, job, specHash, seed } = this.#options
    const { step, cursor } = state
    const token: ResumeToken = { job, specHash, ...cursor }
    const training = Buffer.from(JSON.stringify({ state, token }))
    return writeCheckpoint(store, prefix, {
      files: new Map([...files, [TRAINING_FILE, training]]),
      ...{ step, cursor, epoch: cursor.epoch, seed, specHash },
    })
  }

  /** Manifest first: without it the folder is no checkpoint. */
  async #remove(folder: string): Promise<void> {
    const { store } = this.#options
    await store.remove(joinUri(folder, 'manifest.json'))
    for (const { uri } of await store.walk(folder)) await store.remove(uri)
  }

  async writeModel(files: Files): Promise<void> {
    const { store } = this.#options
    for (const [name, bytes] of files) await store.write(joinUri(this.model, ...name.split('/')), bytes)
  }
}
