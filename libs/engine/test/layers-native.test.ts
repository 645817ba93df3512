import { createRequire } from 'node:module'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Engine, TrainingModel } from '../src/index.js'
import { convTopology, deferred, digitBatch, digitsTopology, fields, inSharedMemory, layers } from './support/digits.js'
import { fixtureStore, nativeEngine } from './support/native.js'
import { expectBitwiseResume, steps } from './support/same-course.js'

const tf = createRequire(import.meta.url)('@tensorflow/tfjs') as typeof import('@tensorflow/tfjs')
const context = { store: fixtureStore(), seed: 3 }
let engine: Engine
beforeAll(async () => {
  engine = await nativeEngine()
}, 900_000)

const create = (topology: object = digitsTopology, more = {}): Promise<TrainingModel> =>
  engine.createModel(layers(topology, more), context, fields, deferred)

it('reports what computes and why it was chosen', () => {
  expect(engine.report).toMatchObject({ kind: 'native', package: '@tensorflow/tfjs-node', version: '2.21.0' })
  expect(engine.report.why.at(-1)).toMatch(/the cpu build in .+ loads and computes on CPU/)
})

it('learns, and tells loss and accuracy of each batch', async () => {
  const model = await create()
  const [first] = await steps(model, 0, 1)
  expect(first?.loss).toBeGreaterThan(1.5)
  await steps(model, 1, 60)
  const { loss, accuracy, records } = await model.evaluate(digitBatch(1000, 50))
  expect(loss).toBeLessThan(0.1)
  expect(accuracy).toBeGreaterThan(0.98)
  expect(records).toBe(50)
  model.dispose()
})

it('gives equal losses for equal seeds and others for other seeds', async () => {
  const run = async (seed: number) => {
    const model = await engine.createModel(layers(convTopology), { ...context, seed }, fields, deferred)
    const results = await steps(model, 0, 5)
    model.dispose()
    return results
  }
  const first = await run(11)
  expect(await run(11)).toEqual(first)
  expect(await run(12)).not.toEqual(first)
})

it('draws another dropout mask in each step, whatever seed the layer has', async () => {
  const frozen = { type: 'sgd' as const, learningRate: 1e-30 }
  const model = await create(convTopology, { optimizer: frozen })
  const losses = new Set<number>()
  for (let i = 0; i < 4; i++) losses.add((await model.trainStep(digitBatch(0))).loss)
  expect(losses.size).toBe(4)
  model.dispose()
})

describe('goes on bitwise equal after save and restore', () => {
  const cosine = { type: 'cosine', learningRate: 0.01, decaySteps: 15, warmup: { steps: 4 } } as const
  it.each([
    ['adam', { type: 'adam' }],
    ['sgd', { type: 'sgd' }],
    ['nesterov', { type: 'momentum', nesterov: true, globalClipNorm: 1 }],
    ['adamw with amsgrad and a schedule', { type: 'adamw', amsgrad: true, learningRate: cosine }],
    ['centered rmsprop', { type: 'rmsprop', centered: true, momentum: 0.5 }],
  ] as const)('dense layers, %s', async (_name, optimizer) => {
    await expectBitwiseResume(() => create(digitsTopology, { optimizer }))
  })
  it('convolution, batch normalisation and dropout', async () => {
    await expectBitwiseResume(() => create(convTopology))
  })
})

it('keeps no tensor from step to step', async () => {
  const model = await create(convTopology)
  await steps(model, 0, 5)
  await model.evaluate(digitBatch(0))
  const before = { tfjs: tf.memory().numTensors, native: model.tensorCount() }
  for (let k = 0; k < 220; k++) await model.trainStep(digitBatch(k % 4, 8))
  await model.evaluate(digitBatch(0))
  await model.save()
  await model.exportModel()
  expect({ tfjs: tf.memory().numTensors, native: model.tensorCount() }).toEqual(before)
  model.dispose()
})

it('keeps no tensor of weights, clipping, decay, regularisers, several metrics or a batch that is left out', async () => {
  const { layers: list } = digitsTopology.config
  const hidden = {
    ...list[1],
    config: { ...list[1]?.config, kernel_regularizer: { class_name: 'L2', config: { l2: 0.01 } } },
  }
  const topology = { ...digitsTopology, config: { ...digitsTopology.config, layers: [list[0], hidden, list[2]] } }
  const train = layers(topology, {
    sampleWeight: 'weight',
    classWeight: { 3: 2 },
    optimizer: { type: 'rmsprop', centered: true, weightDecay: 0.01, globalClipNorm: 1 },
    metrics: ['accuracy', 'topKAccuracy'],
    onNonFiniteLoss: 'skip',
  })
  const withWeights = (weight: number) => {
    const batch = digitBatch(0, 8)
    const data = new Uint8Array(new Float32Array(8).fill(weight).buffer)
    return { tensors: [...batch.tensors, { name: 'weight', dtype: 'float32' as const, shape: [8], data }] }
  }
  const more = { ...fields, weight: { dtype: 'float32' as const, shape: [] } }
  const model = await engine.createModel(train, context, more, deferred)
  const count = async () => {
    expect((await model.trainStep(withWeights(1))).isSkipped).toBeUndefined()
    expect((await model.trainStep(withWeights(Number.NaN))).isSkipped).toBe(true)
    await model.evaluate(withWeights(0.5))
    return { tfjs: tf.memory().numTensors, native: model.tensorCount() }
  }
  const before = await count()
  for (let k = 0; k < 20; k++) expect(await count()).toEqual(before)
  model.dispose()
})

it('leaves no tensor behind when disposed', async () => {
  const count = async () => {
    const model = await create()
    await steps(model, 0, 2)
    model.dispose()
    model.dispose()
    return { tfjs: tf.memory().numTensors, native: model.tensorCount() }
  }
  expect(await count()).toEqual(await count())
})

it.each([0, 8, 64])('trains on shared memory at byte %i of a buffer as on memory of its own', async (offset) => {
  const [own, shared] = [await create(), await create()]
  const expected = await steps(own, 0, 3)
  expect(await steps(shared, 0, 3, (k) => inSharedMemory(digitBatch(k), offset))).toEqual(expected)
  own.dispose()
  shared.dispose()
})

it('does not read a batch after the step that got it, so its memory may be filled anew', async () => {
  const [own, reused] = [await create(), await create()]
  const expected = await steps(own, 0, 6)
  const slot = inSharedMemory(digitBatch(0), 0)
  const refill = (k: number) => {
    for (const [index, tensor] of digitBatch(k).tensors.entries()) slot.tensors[index]!.data.set(tensor.data)
    return slot
  }
  expect(await steps(reused, 0, 6, refill)).toEqual(expected)
  own.dispose()
  reused.dispose()
})

it('does not write into the files that it is restored from', async () => {
  const model = await create()
  await steps(model, 0, 2)
  const files = await model.save()
  const copy = new Map([...files].map(([name, bytes]) => [name, bytes.slice()]))
  await model.restore(files)
  await steps(model, 2, 5)
  expect(files).toEqual(copy)
  model.dispose()
})

it('applies deferred casts and scales as the pipeline would have', async () => {
  const scaled = digitBatch(0)
  const [image, label] = scaled.tensors
  const floats = Float32Array.from(image!.data, (value) => (value / 255) * 2 - 1)
  const ready = { tensors: [{ ...image!, dtype: 'float32' as const, data: new Uint8Array(floats.buffer) }, label!] }
  const chain = {
    image: [
      { op: 'cast' as const, dtype: 'float32' as const },
      { op: 'scale' as const, factor: 1 / 255, offset: 0 },
      { op: 'scale' as const, factor: 2, offset: -1 },
    ],
  }
  const float = { ...fields, image: { dtype: 'float32' as const, shape: [28, 28, 1] } }
  const late = await engine.createModel(layers(digitsTopology), context, fields, chain)
  const early = await engine.createModel(layers(digitsTopology), context, float, {})
  const [a, b] = [await late.trainStep(scaled), await early.trainStep(ready)]
  expect(a.loss).toBeCloseTo(b.loss, 5)
  late.dispose()
  early.dispose()
})

it('exports a model that tfjs loads and that predicts what was trained', async () => {
  const model = await create(convTopology)
  await steps(model, 0, 60)
  const { accuracy } = await model.evaluate(digitBatch(7, 40))
  const files = await model.exportModel()
  expect([...files.keys()]).toEqual(['model.json', 'weights.bin'])
  const json = JSON.parse(Buffer.from(files.get('model.json')!).toString())
  const weightData = new Uint8Array(files.get('weights.bin')!).buffer
  const weightSpecs = json.weightsManifest[0].weights
  const loaded = await tf.loadLayersModel(
    tf.io.fromMemory({ modelTopology: json.modelTopology, weightSpecs, weightData }),
  )
  const batch = digitBatch(7, 40)
  const x = tf.tensor(
    Float32Array.from(batch.tensors[0]!.data, (value) => value / 255),
    [40, 28, 28, 1],
  )
  const output = loaded.predict(x) as import('@tensorflow/tfjs').Tensor
  expect((await output.sum(-1).array()) as number[]).toSatisfy((sums: number[]) =>
    sums.every((one) => Math.abs(one - 1) < 1e-5),
  )
  const guesses = await output.argMax(-1).data()
  const truth = [...new BigInt64Array(batch.tensors[1]!.data.buffer)].map(Number)
  expect(truth.filter((value, i) => value === guesses[i]).length / 40).toBeCloseTo(accuracy!, 6)
  model.dispose()
})

describe('says what does not fit', () => {
  it('a topology that is none', async () => {
    await expect(
      create({ class_name: 'Sequential', config: { layers: [{ class_name: 'Nope', config: {} }] } }),
    ).rejects.toMatchObject({
      code: 'STK_MODEL_INVALID',
      place: { path: 'train.model.topology' },
    })
  })
  it('a field of another shape', async () => {
    const other = { ...fields, image: { dtype: 'uint8' as const, shape: [32, 32, 3] } }
    const making = engine.createModel(layers(digitsTopology), context, other, deferred)
    await expect(making).rejects.toMatchObject({ code: 'STK_MODEL_INPUT', place: { field: 'image' } })
  })
  it('a label that the batches do not have', async () => {
    const making = create(digitsTopology, { label: 'class' })
    await expect(making).rejects.toThrow(/no field "class", only image, label/)
  })
  it('a label past the last class, and the model can go on', async () => {
    const model = await create()
    const batch = digitBatch(0)
    const before = tf.memory().numTensors
    const wrong = { ...batch.tensors[1]!, data: new Uint8Array(BigInt64Array.from({ length: 64 }, () => 10n).buffer) }
    await expect(model.trainStep({ tensors: [batch.tensors[0]!, wrong] })).rejects.toMatchObject({
      code: 'STK_TRAIN_STEP_FAILED',
    })
    expect(tf.memory().numTensors).toBe(before)
    await expect(model.trainStep(batch)).resolves.toHaveProperty('loss')
    model.dispose()
  })
  it.each([2n ** 32n, -(2n ** 31n) - 1n, 2n ** 53n + 1n])('a label of %d, which int32 cannot hold', async (value) => {
    const model = await create()
    const batch = digitBatch(0)
    const labels = new BigInt64Array(batch.tensors[1]!.data.buffer.slice(0))
    labels[5] = value
    const wrong = { ...batch.tensors[1]!, data: new Uint8Array(labels.buffer) }
    await expect(model.trainStep({ tensors: [batch.tensors[0]!, wrong] })).rejects.toMatchObject({
      code: 'STK_TRAIN_LABEL_RANGE',
      message: `label "label" is ${value} in record 5 of the batch, and classes are int32`,
    })
    model.dispose()
  })
  it('the checkpoint of another model or optimiser', async () => {
    const [dense, conv] = [await create(), await create(convTopology)]
    const sgd = await create(digitsTopology, { optimizer: { type: 'sgd' } })
    const files = await dense.save()
    await expect(conv.restore(files)).rejects.toMatchObject({ code: 'STK_CHECKPOINT_UNFIT' })
    await expect(sgd.restore(files)).rejects.toThrow(/trained by adam, and the job says sgd/)
    for (const model of [dense, conv, sgd]) model.dispose()
  })
})

it('minimises each loss the schema names', async () => {
  const oneHot = (k: number) => {
    const batch = digitBatch(k)
    const labels = new BigInt64Array(batch.tensors[1]!.data.buffer)
    const rows = new Float32Array(64 * 10)
    labels.forEach((label, row) => {
      rows[row * 10 + Number(label)] = 1
    })
    const label = { name: 'label', dtype: 'float32' as const, shape: [64, 10], data: new Uint8Array(rows.buffer) }
    return { tensors: [batch.tensors[0]!, label] }
  }
  const float = { ...fields, label: { dtype: 'float32' as const, shape: [10] } }
  for (const loss of ['categoricalCrossentropy', 'meanSquaredError'] as const) {
    const train = layers(digitsTopology, { loss, metrics: ['accuracy'] })
    const model = await engine.createModel(train, context, float, deferred)
    const results = await steps(model, 0, 40, oneHot)
    expect(results.at(-1)!.loss, loss).toBeLessThan(results[0]!.loss / 4)
    expect(results.at(-1)!.accuracy, loss).toBeGreaterThan(0.95)
    model.dispose()
  }
})

it('computes the same cross-entropy from logits as from probabilities', async () => {
  // A softmax layer of its own stays in the model, so its loss takes the way over probabilities.
  const { layers: list } = digitsTopology.config
  const last = { class_name: 'Dense', config: { name: 'classes', units: 10 } }
  const split = {
    ...digitsTopology,
    config: {
      ...digitsTopology.config,
      layers: [...list.slice(0, 2), last, { class_name: 'Softmax', config: { name: 'softmax' } }],
    },
  }
  const [fused, plain] = [await create(), await create(split)]
  const [a, b] = [await steps(fused, 0, 5), await steps(plain, 0, 5)]
  for (const [index, { loss }] of a.entries()) expect(loss).toBeCloseTo(b[index]!.loss, 4)
  fused.dispose()
  plain.dispose()
})
