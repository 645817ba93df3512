import { rmSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import type { ModelSpec, Signature, Train } from '@stoker/spec'
import { readCheckpoint } from '../checkpoint/checkpoints.js'
import { CheckpointUnfit, SavedModelInvalid, WeightsMissing } from '../error-table.js'
import { meanOver } from '../objective/metric-sums.js'
import type {
  DecodedBatch,
  Deferred,
  EvaluateResult,
  ModelContext,
  ModelFiles,
  StepResult,
  TrainingModel,
} from '../types.js'
import { checkpointAt } from '../weights/read-weights.js'
import type { NativeTensors } from './native-tensors.js'
import { type Roles, recordsOf, rolesOf, stepError, tensorOf } from './roles.js'
import { type Feed, feedsOf } from './saved-model-feeds.js'
import { downloadSavedModel, factsOf, signatureOf } from './saved-model-folder.js'
import type { SavedModelFacts, SavedModelSignature } from './saved-model-proto.js'

export interface SavedModelOptions {
  readonly tensors: NativeTensors
  readonly context: ModelContext
  readonly model: Extract<ModelSpec, { kind: 'savedModel' }>
  readonly train: Train
  readonly fields: Signature
  readonly deferred: Deferred
}

const NEEDED = ['train', 'evaluate', 'save', 'restore'] as const
type Needed = (typeof NEEDED)[number]
/** Name under which `save` writes: TensorFlow makes `state.index` and `state.data-00000-of-00001` of it. */
const STATE = 'state'

/** A SavedModel, run as TensorFlow graphs. All signatures share one session, hence the variables. */
export async function createSavedModel(options: SavedModelOptions): Promise<TrainingModel> {
  const { tensors, context, model, train, fields, deferred } = options
  const { store } = context
  const { uri } = model
  const roles = rolesOf(train, fields)
  const dir = await mkdtemp(join(tmpdir(), 'stoker-saved-model-'))
  try {
    const names = await downloadSavedModel(store, uri, dir)
    const facts = await factsOf(dir, uri)
    const signatures = Object.fromEntries(NEEDED.map((name) => [name, signatureOf(facts, name, uri)])) as Record<
      Needed,
      SavedModelSignature
    >
    const feeds = {
      train: feedsOf(signatures.train, roles, fields, deferred, tensors.binding),
      evaluate: feedsOf(signatures.evaluate, roles, fields, deferred, tensors.binding),
    }
    const session = load(tensors, dir, uri)
    const made = new SavedModelTraining({
      tensors,
      dir,
      names,
      uri,
      session,
      signatures,
      feeds,
      roles,
      facts,
      deferred,
    })
    if (model.weights !== undefined && !context.isResumed) await startFrom(made, model.weights, store)
    return made
  } catch (error) {
    await rm(dir, { recursive: true, force: true })
    throw error
  }
}

/** Sets the variables to those of a checkpoint, of another job of the same SavedModel for instance. */
async function startFrom(model: TrainingModel, uri: string, store: ModelContext['store']): Promise<void> {
  const place = { path: 'train.model.weights' }
  try {
    const checkpoint = await checkpointAt(store, uri.replace(/(?<=[^/])\/+$/, ''))
    if (checkpoint === undefined) {
      throw WeightsMissing(uri).with({
        place,
        remedy: 'give a checkpoint or the folder of a job; a trained SavedModel itself goes into train.model.uri',
      })
    }
    await model.restore((await readCheckpoint(store, checkpoint)).files)
  } catch (error) {
    model.dispose()
    throw error
  }
}

function load(tensors: NativeTensors, dir: string, uri: string): number {
  try {
    return tensors.binding.loadSavedModel(dir, 'serve')
  } catch (error) {
    throw SavedModelInvalid(uri, error instanceof Error ? error.message : String(error)).with({ cause: error })
  }
}

interface Parts {
  readonly tensors: NativeTensors
  readonly dir: string
  readonly names: readonly string[]
  readonly uri: string
  readonly session: number
  readonly signatures: Readonly<Record<Needed, SavedModelSignature>>
  readonly feeds: Readonly<Record<'train' | 'evaluate', readonly Feed[]>>
  readonly roles: Roles
  readonly facts: SavedModelFacts
  readonly deferred: Deferred
}

class SavedModelTraining implements TrainingModel {
  readonly #parts: Parts
  #isDisposed = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async trainStep(batch: DecodedBatch): Promise<StepResult> {
    return this.#run('train', batch)
  }

  async evaluate(batch: DecodedBatch): Promise<EvaluateResult> {
    return { ...this.#run('evaluate', batch), records: recordsOf(batch, this.#parts.roles) }
  }

  async save(): Promise<ModelFiles> {
    const { signatures } = this.#parts
    return this.#inTemporary(async (dir) => {
      const { inputs, outputs } = signatures.save
      this.#callWithPath(inputs.path?.name, outputs.path?.name, join(dir, STATE))
      return filesOf(dir)
    })
  }

  async restore(files: ModelFiles): Promise<void> {
    const { signatures } = this.#parts
    await this.#inTemporary(async (dir) => {
      const own = [...files].filter(([name]) => name.startsWith(`${STATE}.`))
      if (own.length < 2) throw CheckpointUnfit(`it holds ${[...files.keys()].join(', ') || 'nothing'}`)
      for (const [name, bytes] of own) await writeFile(join(dir, posix.basename(name)), bytes)
      const { inputs, outputs } = signatures.restore
      try {
        this.#callWithPath(inputs.path?.name, outputs.path?.name, join(dir, STATE))
      } catch (error) {
        throw CheckpointUnfit(error instanceof Error ? error.message : String(error)).with({ cause: error })
      }
    })
  }

  /** The folder as it was read, with the variables as they are now. */
  async exportModel(): Promise<ModelFiles> {
    const { dir, names, facts, uri } = this.#parts
    const { saver } = facts
    if (!saver) throw SavedModelInvalid(uri, 'it has no saver, so its variables cannot be written')
    const files = new Map<string, Uint8Array>()
    for (const name of names) {
      if (!name.startsWith('variables/')) files.set(name, new Uint8Array(await readFile(join(dir, name))))
    }
    return this.#inTemporary(async (target) => {
      this.#callWithPath(saver.filename, saver.save, join(target, 'variables'))
      for (const [name, bytes] of await filesOf(target)) files.set(`variables/${name}`, bytes)
      return files
    })
  }

  tensorCount(): number {
    return this.#parts.tensors.binding.getNumOfTensors()
  }

  dispose(): void {
    if (this.#isDisposed) return
    this.#isDisposed = true
    this.#parts.tensors.binding.deleteSavedModel(this.#parts.session)
    rmSync(this.#parts.dir, { recursive: true, force: true })
  }

  #run(name: 'train' | 'evaluate', batch: DecodedBatch): StepResult {
    const { tensors, session, signatures, feeds, deferred, roles } = this.#parts
    const { binding } = tensors
    const { outputs } = signatures[name]
    const told = Object.keys(outputs).filter((one) => one !== 'loss')
    const held: number[] = []
    try {
      for (const feed of feeds[name]) {
        held.push(tensors.upload(tensorOf(batch, feed.field), deferred[feed.field] ?? [], feed.dtype))
      }
      const wanted = ['loss', ...told].map((one) => outputs[one]?.name)
      const inputs = feeds[name].map((feed) => feed.input).join(',')
      const made = binding.runSavedModel(session, [...held], inputs, wanted.join(','))
      held.push(...made.map(({ id }) => id))
      const [loss = Number.NaN, ...values] = made.map(({ id }) => binding.tensorDataSync(id)[0] as number)
      const accuracy = values[told.findIndex((one) => /accuracy$|^acc$/.test(one))]
      const records = recordsOf(batch, roles)
      const metrics = Object.fromEntries(told.map((one, at) => [one, meanOver(values[at] ?? Number.NaN, records)]))
      return { loss, ...(accuracy === undefined ? {} : { accuracy }), metrics }
    } catch (error) {
      throw stepError(error)
    } finally {
      for (const id of held) binding.deleteTensor(id)
    }
  }

  /** Runs a part of the graph that takes the path of a file and gives one tensor. */
  #callWithPath(input: string | undefined, output: string | undefined, path: string): void {
    const { tensors, session, uri } = this.#parts
    const { binding } = tensors
    if (!input || !output) throw SavedModelInvalid(uri, 'its save and restore take and give "path"')
    const id = binding.createTensor([], binding.TF_STRING, [Buffer.from(path)])
    try {
      for (const made of binding.runSavedModel(session, [id], input, output)) binding.deleteTensor(made.id)
    } finally {
      binding.deleteTensor(id)
    }
  }

  async #inTemporary<T>(body: (dir: string) => Promise<T>): Promise<T> {
    const dir = await mkdtemp(join(tmpdir(), 'stoker-state-'))
    try {
      return await body(dir)
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  }
}

/** The files of a folder, each in a buffer of its own. */
async function filesOf(dir: string): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>()
  for (const name of (await readdir(dir)).sort()) files.set(name, new Uint8Array(await readFile(join(dir, name))))
  return files
}
