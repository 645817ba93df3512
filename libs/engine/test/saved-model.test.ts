import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStore, fileUri } from '@stoker/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Engine, TrainingModel } from '../src/index.js'
import { deferred, digitBatch, fields, inSharedMemory } from './support/digits.js'
import { fixtureStore, nativeEngine, savedModelUri } from './support/native.js'
import { expectBitwiseResume, steps } from './support/same-course.js'

const train = (uri = savedModelUri) => ({ model: { kind: 'savedModel' as const, uri } })
let engine: Engine
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stoker-test-'))
  engine = await nativeEngine()
}, 900_000)
afterAll(() => rm(dir, { recursive: true }))

const create = (): Promise<TrainingModel> => engine.createModel(train(), { store: fixtureStore() }, fields, deferred)
const ownFolders = async () =>
  (await readdir(tmpdir())).filter((name) => /^stoker-(saved-model|state)-/.test(name)).length

it('learns, and tells loss and accuracy of each batch', async () => {
  const model = await create()
  const [first] = await steps(model, 0, 1)
  expect(first?.loss).toBeGreaterThan(1.5)
  await steps(model, 1, 60)
  expect(await model.evaluate(digitBatch(1000, 50))).toMatchObject({ records: 50, accuracy: 1 })
  model.dispose()
})

it('goes on bitwise equal after save and restore', async () => {
  const files = await expectBitwiseResume(create)
  expect([...files.keys()]).toEqual(['state.data-00000-of-00001', 'state.index'])
})

it('keeps no tensor and no folder from step to step', async () => {
  const folders = await ownFolders()
  const model = await create()
  await steps(model, 0, 3)
  const before = model.tensorCount()
  for (let k = 0; k < 220; k++) await model.trainStep(digitBatch(k % 4, 8))
  await model.evaluate(digitBatch(0))
  await model.restore(await model.save())
  await model.exportModel()
  expect(model.tensorCount()).toBe(before)
  model.dispose()
  model.dispose()
  expect(await ownFolders()).toBe(folders)
})

it.each([0, 8])('trains on shared memory at byte %i of a buffer', async (offset) => {
  const [own, shared] = [await create(), await create()]
  const expected = await steps(own, 0, 3)
  expect(await steps(shared, 0, 3, (k) => inSharedMemory(digitBatch(k), offset))).toEqual(expected)
  own.dispose()
  shared.dispose()
})

it('exports a SavedModel that holds the trained variables and trains on', async () => {
  const model = await create()
  await steps(model, 0, 60)
  const files = await model.exportModel()
  const expected = await model.evaluate(digitBatch(5))
  const store = createStore({ fileRoots: [dir] })
  const uri = fileUri(join(dir, 'export'))
  for (const [name, bytes] of files) await store.write(`${uri}/${name}`, bytes)
  const loaded = await engine.createModel(train(uri), { store }, fields, deferred)
  expect(await loaded.evaluate(digitBatch(5))).toEqual(expected)
  // The optimiser's state went along: the next step is the same.
  expect(await steps(loaded, 60, 63)).toEqual(await steps(model, 60, 63))
  model.dispose()
  loaded.dispose()
})

describe('says what does not fit', () => {
  it('a folder without a SavedModel', async () => {
    const making = engine.createModel(train(`${savedModelUri}-missing`), { store: fixtureStore() }, fields, deferred)
    await expect(making).rejects.toMatchObject({ code: 'STK_MODEL_SAVED_MODEL_MISSING' })
  })
  it('bytes that are no SavedModel', async () => {
    const store = createStore({ fileRoots: [dir] })
    const uri = fileUri(join(dir, 'broken'))
    await store.write(`${uri}/saved_model.pb`, Buffer.from('not a protocol buffer'))
    const making = engine.createModel(train(uri), { store }, fields, deferred)
    await expect(making).rejects.toMatchObject({ code: 'STK_MODEL_SAVED_MODEL_INVALID' })
  })
  it('a field of another shape', async () => {
    const other = { ...fields, image: { dtype: 'uint8' as const, shape: [28, 28, 3] } }
    const making = engine.createModel(train(), { store: fixtureStore() }, other, deferred)
    await expect(making).rejects.toThrow(/input x takes \[28,28,1\], and field "image" is \[28,28,3\]/)
  })
  it('a batch without one of the fields', async () => {
    const model = await create()
    const [image] = digitBatch(0).tensors
    await expect(model.trainStep({ tensors: [image!] })).rejects.toMatchObject({
      code: 'STK_MODEL_INPUT',
      place: { field: 'label' },
    })
    model.dispose()
  })
  it('a checkpoint of another kind or with damaged bytes', async () => {
    const model = await create()
    await expect(model.restore(new Map([['weights.safetensors', new Uint8Array(8)]]))).rejects.toMatchObject({
      code: 'STK_CHECKPOINT_UNFIT',
    })
    const files = new Map(await model.save())
    files.set('state.index', new Uint8Array(100))
    await expect(model.restore(files)).rejects.toMatchObject({ code: 'STK_CHECKPOINT_UNFIT' })
    model.dispose()
  })
})
