import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listCheckpoints } from '@stoker/engine'
import type { StokerError } from '@stoker/spec'
import { createStore, type ObjectStore } from '@stoker/storage'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { JobFiles } from '../src/io/job-files.js'
import { initialState, type TrainingState } from '../src/training-state.js'

let folder: string
let store: ObjectStore
let passedOver: StokerError[]
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoker-job-files-'))
  store = createStore({ fileRoots: [folder] })
  passedOver = []
})
afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

const open = (options: { specHash?: string; keep?: number } = {}) =>
  new JobFiles({
    store,
    root: `file://${folder}`,
    job: 'a',
    specHash: options.specHash ?? 'h',
    seed: 3,
    keep: options.keep,
    onDamage: (error) => passedOver.push(error),
  })
const stateAt = (step: number, more: Partial<TrainingState> = {}): TrainingState => ({
  ...initialState,
  step,
  cursor: { epoch: 0, batch: step },
  ...more,
})
const weights = (value: number) => new Map([['weights.bin', Uint8Array.of(value, value, value)]])
const saved = () => listCheckpoints(store, `file://${folder}/jobs/a/checkpoints`)

it('gives back the files and the state of the newest checkpoint, to the last bit of its numbers', async () => {
  const metrics = { accuracy: { total: 1 / 3, count: 7 }, auc: { positives: [0.1], negatives: [0.7] } }
  const sums = { records: 7, loss: 0.1 + 0.2, metrics }
  await open().writeCheckpoint(weights(1), stateAt(4))
  const uri = await open().writeCheckpoint(weights(2), stateAt(8, { sums }))
  const files = open()
  const found = await files.latestCheckpoint()
  expect(found?.state).toEqual(stateAt(8, { sums }))
  expect([...(found?.files ?? [])].map(([name, bytes]) => [name, [...bytes]])).toEqual([['weights.bin', [2, 2, 2]]])
  expect(files.lastCheckpoint).toBe(uri)
})

it('writes a resume token and the cursor beside the model', async () => {
  const uri = await open().writeCheckpoint(weights(1), stateAt(4))
  const read = async (name: string) => JSON.parse(await readFile(fileURLToPath(`${uri}/${name}`), 'utf8'))
  expect((await read('training.json')).token).toEqual({ job: 'a', specHash: 'h', epoch: 0, batch: 4 })
  expect(await read('manifest.json')).toMatchObject({ step: 4, cursor: { epoch: 0, batch: 4 }, seed: 3, specHash: 'h' })
})

it('keeps the last ones, and of two at one step the later one', async () => {
  const files = open({ keep: 1 })
  for (const step of [1, 2, 3]) await files.writeCheckpoint(weights(step), stateAt(step))
  for (let time = 0; time < 5; time++) {
    const uri = await files.writeCheckpoint(weights(9), stateAt(3, { cursor: { epoch: time, batch: 0 } }))
    expect(await saved()).toEqual([uri])
  }
})

it('passes over a damaged checkpoint and tells of it', async () => {
  await open().writeCheckpoint(weights(1), stateAt(4))
  const uri = await open().writeCheckpoint(weights(2), stateAt(8))
  await writeFile(fileURLToPath(`${uri}/weights.bin`), Uint8Array.of(2, 2, 3))
  expect((await open().latestCheckpoint())?.state.step).toBe(4)
  expect(passedOver.map(({ code }) => code)).toEqual(['STK_CHECKPOINT_CORRUPT'])
})

it('does not start over silently when every checkpoint is damaged', async () => {
  const uri = await open().writeCheckpoint(weights(1), stateAt(4))
  await writeFile(fileURLToPath(`${uri}/weights.bin`), '')
  await expect(open().latestCheckpoint()).rejects.toMatchObject({ code: 'STK_CHECKPOINT_CORRUPT' })
})

it('refuses a checkpoint of another spec', async () => {
  await open({ specHash: 'other' }).writeCheckpoint(weights(1), stateAt(4))
  await expect(open().latestCheckpoint()).rejects.toMatchObject({ code: 'STK_TRAIN_CHECKPOINT_FOREIGN' })
})

it('has nothing to go on from when there is no checkpoint', async () => {
  expect(await open().latestCheckpoint()).toBeUndefined()
})

it('keeps the best epoch beside the last checkpoints, and only that one', async () => {
  const files = open({ keep: 1 })
  const watch = { ...initialState.watch, best: { epoch: 0, value: 0.5 } }
  await files.writeBest(weights(1), stateAt(10, { watch }))
  for (const step of [10, 20, 30]) await files.writeCheckpoint(weights(step), stateAt(step))
  const best = await files.writeBest(weights(2), stateAt(20, { watch }))
  // The same epoch once more, after a crash.
  const again = await files.writeBest(weights(2), stateAt(20, { watch }))
  expect(again).not.toBe(best)
  expect(await listCheckpoints(store, `file://${folder}/jobs/a/best`)).toEqual([again])
  expect(await saved()).toHaveLength(1)
  expect([...(await files.readBest())].map(([name, bytes]) => [name, [...bytes]])).toEqual([['weights.bin', [2, 2, 2]]])
  expect((await files.latestCheckpoint())?.state.step).toBe(30)
})
