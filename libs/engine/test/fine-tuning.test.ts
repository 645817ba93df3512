import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Train } from '@stoker/spec'
import { createStore, fileUri, joinUri, type ObjectStore } from '@stoker/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, type ModelFiles, type TrainingModel, writeCheckpoint } from '../src/index.js'
import { decodeWeights } from '../src/model/weight-file.js'
import { convTopology, deferred, digitBatch, fields, layers } from './support/digits.js'
import { nativeEngine } from './support/native.js'
import { expectBitwiseResume, steps } from './support/same-course.js'

let engine: Engine
let dir: string
let store: ObjectStore
let trained: TrainingModel
/** Of a job: `model/` and `checkpoints/`. */
let job: string
beforeAll(async () => {
  engine = await nativeEngine()
  dir = await mkdtemp(join(tmpdir(), 'stoker-test-'))
  store = createStore({ fileRoots: [dir] })
  job = fileUri(join(dir, 'job'))
  trained = await make({})
  await steps(trained, 0, 40)
  for (const [name, bytes] of await trained.exportModel(['tfjs', 'keras']))
    await store.write(joinUri(job, 'model', name), bytes)
  const place = { step: 40, epoch: 0, cursor: { epoch: 0, batch: 40 }, seed: 3, specHash: 'a' }
  await writeCheckpoint(store, joinUri(job, 'checkpoints'), { files: await trained.save(), ...place })
}, 900_000)
afterAll(async () => {
  await store.close()
  await rm(dir, { recursive: true })
})

const make = (model: Partial<Train['model']>, more: Partial<Train> = {}, topology: object = convTopology) => {
  const train = layers(topology, more)
  return engine.createModel(
    { ...train, model: { ...train.model, ...model } as Train['model'] },
    { store, seed: 8 },
    fields,
    deferred,
  )
}

const weightsIn = (files: ModelFiles) =>
  Object.fromEntries(
    decodeWeights(files).weights.map(({ name, values }) => [name.replace(/^weights\.\d+\./, ''), values]),
  )

/** The last layer has another name, or another number of classes. */
const withHead = (config: object) => ({
  ...convTopology,
  config: {
    ...convTopology.config,
    layers: convTopology.config.layers.map((layer) =>
      layer.config.name === 'classes' ? { ...layer, config: { ...layer.config, ...config } } : layer,
    ),
  },
})

it.each([
  ['the folder of a tfjs model', 'model'],
  ['a .keras file', 'model/model.keras'],
  ['the folder of a job', ''],
  ['its checkpoints', 'checkpoints'],
])('starts from %s where the other model ended', async (_name, path) => {
  const weights = path === '' ? job : joinUri(job, ...path.split('/'))
  const model = await make({ weights })
  const batch = digitBatch(500)
  expect(await model.evaluate(batch)).toEqual(await trained.evaluate(batch))
  model.dispose()
})

it('takes the topology that lies with the weights', async () => {
  const train = layers(convTopology)
  const model = { kind: 'layers' as const, weights: joinUri(job, 'model') }
  const found = await engine.createModel({ ...train, model }, { store }, fields, deferred)
  const batch = digitBatch(501)
  expect(await found.evaluate(batch)).toEqual(await trained.evaluate(batch))
  found.dispose()
})

it('starts listed layers anew and leaves frozen ones as they are, moving averages too', async () => {
  const model = await make({ weights: job, fresh: ['head'], freeze: ['conv', 'no*'] }, {}, withHead({ name: 'head' }))
  const before = weightsIn(await model.save())
  const given = weightsIn(await trained.save())
  expect(before['conv/kernel']).toEqual(given['conv/kernel'])
  expect(before['head/kernel']).not.toEqual(given['classes/kernel'])
  await steps(model, 0, 5)
  const after = weightsIn(await model.save())
  for (const name of [
    'conv/kernel',
    'conv/bias',
    'norm/gamma',
    'norm/beta',
    'norm/moving_mean',
    'norm/moving_variance',
  ])
    expect(after[name], name).toEqual(before[name])
  expect(after['head/kernel']).not.toEqual(before['head/kernel'])
  model.dispose()
})

it('goes on bitwise equal with frozen layers', async () => {
  await expectBitwiseResume(() => make({ weights: job, freeze: ['conv'] }))
})

it('does not read the weights again when a checkpoint follows', async () => {
  const train = layers(convTopology)
  const model = { ...train.model, weights: fileUri(join(dir, 'gone')) } as Train['model']
  const context = { store, isResumed: true }
  const found = await engine.createModel({ ...train, model }, context, fields, deferred)
  await found.restore(await trained.save())
  found.dispose()
})

describe('says what does not fit', () => {
  it.each([
    [
      'another shape',
      { weights: () => job },
      { units: 12 },
      /"classes\/kernel" is \[676,10\] there and \[676,12\] in the model/,
    ],
    [
      'a layer that is not there',
      { weights: () => job },
      { name: 'head' },
      /it has no "head\/kernel", only conv\/kernel/,
    ],
    ['no weights', { weights: () => fileUri(join(dir, 'gone')) }, {}, /there are no weights at .*gone/],
  ])('%s', async (_name, { weights }, head, message) => {
    const making = make({ weights: weights() }, {}, withHead(head))
    await expect(making).rejects.toThrow(message)
    await expect(making).rejects.toMatchObject({ place: { path: 'train.model.weights' }, remedy: expect.any(String) })
  })

  it('a layer to freeze that there is none of', async () => {
    await expect(make({ freeze: ['block*'] })).rejects.toThrow(/no layer is called "block\*"; there are conv, pool/)
  })
  it('nothing left to train', async () => {
    await expect(make({ freeze: ['*'] })).rejects.toThrow(/no layer has weights to train/)
  })
})

it('leaves a batch out whose loss is not a number, as if it had not been', async () => {
  const broken = () => {
    const batch = digitBatch(3)
    const floats = new Float32Array(64 * 784).fill(Number.NaN)
    const image = { ...batch.tensors[0]!, dtype: 'float32' as const, data: new Uint8Array(floats.buffer) }
    return { tensors: [image, batch.tensors[1]!] }
  }
  const model = await make({ weights: job }, { onNonFiniteLoss: 'skip' })
  const before = weightsIn(await model.save())
  const result = await model.trainStep(broken())
  expect(result).toMatchObject({ isSkipped: true, loss: Number.NaN })
  expect(weightsIn(await model.save())).toEqual(before)
  const next = await model.trainStep(digitBatch(4))
  expect(Number.isFinite(next.loss)).toBe(true)
  expect(next.isSkipped).toBeUndefined()
  model.dispose()
})
