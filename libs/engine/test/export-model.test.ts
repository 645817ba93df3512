import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStore, fileUri } from '@stoker/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Engine, exportModel, metricValues } from '../src/index.js'
import { tensorflowEnvironments } from '../src/install/python.js'
import { digitBatch, fields } from './support/digits.js'
import { fixtures, nativeEngine } from './support/native.js'
import { expectBitwiseResume, steps } from './support/same-course.js'

// Making an environment takes minutes and 1.5 GB: these run where there is one, or where it is asked for.
const isRunnable =
  process.env.STOKER_TEST_EXPORT === '1' || (await tensorflowEnvironments()).some(({ version }) => version === '2.21.0')

describe.skipIf(!isRunnable)('exporting a Keras model', { timeout: 900_000 }, () => {
  let engine: Engine
  let dir: string
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'stoker-test-'))
    engine = await nativeEngine()
  }, 900_000)
  afterAll(() => rm(dir, { recursive: true }))

  it('gives a SavedModel that takes bytes and resumes bitwise, dropout and batch normalisation included', async () => {
    const script = join(dir, 'model.py')
    await writeFile(
      script,
      `
import keras
model = keras.Sequential([
    keras.Input((28, 28, 1)), keras.layers.Rescaling(1 / 255), keras.layers.Conv2D(4, 3, activation="relu"),
    keras.layers.BatchNormalization(), keras.layers.MaxPooling2D(), keras.layers.Flatten(), keras.layers.Dropout(0.3),
    keras.layers.Dense(10),
])
model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
`,
    )
    const lines: string[] = []
    const out = await exportModel({ script, out: join(dir, 'bytes'), dtype: 'uint8', log: (line) => lines.push(line) })
    expect(lines.at(-1)).toContain(`exporting ${script}`)
    const store = createStore({ fileRoots: [dir] })
    const train = { model: { kind: 'savedModel' as const, uri: fileUri(out) } }
    const create = () => engine.createModel(train, { store }, fields, {})
    await expectBitwiseResume(create)
    const model = await create()
    const results = await steps(model, 0, 40)
    expect(results.at(-1)!.loss).toBeLessThan(results[0]!.loss / 2)
    model.dispose()
  })

  it('takes several named inputs, and a label of floats', async () => {
    const script = join(dir, 'two.py')
    await writeFile(
      script,
      `
import keras
a = keras.Input((2,), name="a")
b = keras.Input((1,), name="b")
y = keras.layers.Dense(1)(keras.layers.Concatenate()([a, b]))
model = keras.Model([a, b], y)
model.compile(keras.optimizers.Adam(0.1), "mse")
`,
    )
    const out = await exportModel({ script, out: join(dir, 'two') })
    const store = createStore({ fileRoots: [dir] })
    const two = {
      a: { dtype: 'float32' as const, shape: [2] },
      b: { dtype: 'float32' as const, shape: [1] },
      label: { dtype: 'float32' as const, shape: [1] },
    }
    const train = { model: { kind: 'savedModel' as const, uri: fileUri(out) } }
    const model = await engine.createModel(train, { store }, two, {})
    const floats = (name: string, shape: number[], values: number[]) => ({
      name,
      dtype: 'float32' as const,
      shape,
      data: new Uint8Array(Float32Array.from(values).buffer),
    })
    const batch = {
      tensors: [floats('a', [2, 2], [1, 2, 3, 4]), floats('b', [2, 1], [5, 6]), floats('label', [2, 1], [1, 2])],
    }
    const losses: number[] = []
    for (let i = 0; i < 60; i++) losses.push((await model.trainStep(batch)).loss)
    expect(losses.at(-1)).toBeLessThan(losses[0]! / 10)
    expect(await model.evaluate(batch)).not.toHaveProperty('accuracy')
    model.dispose()
  })

  it('takes a label for each of several outputs, and weights of records', async () => {
    const script = join(dir, 'several.py')
    await writeFile(
      script,
      `
import keras
keras.utils.set_random_seed(1)
a = keras.Input((2,), name="a")
kind = keras.layers.Dense(3, activation="softmax", name="kind")(a)
size = keras.layers.Dense(1, name="size")(a)
model = keras.Model([a], [kind, size])
model.compile(
    keras.optimizers.SGD(0.1),
    {"kind": "sparse_categorical_crossentropy", "size": "mse"},
    metrics={"kind": ["accuracy"], "size": ["mae"]},
    loss_weights={"kind": 1.0, "size": 0.5},
)
`,
    )
    const out = await exportModel({ script, out: join(dir, 'several'), sampleWeight: true })
    const store = createStore({ fileRoots: [dir] })
    const float = (shape: number[]) => ({ dtype: 'float32' as const, shape })
    const several = { x: float([2]), class: { dtype: 'int32' as const, shape: [] }, size: float([1]), w: float([]) }
    const train = {
      model: { kind: 'savedModel' as const, uri: fileUri(out) },
      features: { a: 'x' },
      outputs: { kind: { label: 'class' }, size: { label: 'size' } },
      sampleWeight: 'w',
    }
    const model = await engine.createModel(train, { store }, several, {})
    const batch = (weights: number[]) => {
      const tensor = (name: string, shape: number[], values: Float32Array | Int32Array) => ({
        ...{ name, shape, data: new Uint8Array(values.buffer) },
        dtype: values instanceof Int32Array ? ('int32' as const) : ('float32' as const),
      })
      return {
        tensors: [
          tensor('x', [2, 2], Float32Array.of(1, 2, -1, 0.5)),
          tensor('class', [2], Int32Array.of(0, 2)),
          tensor('size', [2, 1], Float32Array.of(1, -1)),
          tensor('w', [2], Float32Array.from(weights)),
        ],
      }
    }
    const plain = await model.evaluate(batch([1, 1]))
    expect(Object.keys(plain.metrics).sort()).toEqual(['kind_accuracy', 'kind_loss', 'size_loss', 'size_mae'])
    const { kind_loss: kind, size_loss: size } = metricValues(plain.metrics)
    expect(plain.loss).toBeCloseTo((kind ?? 0) + 0.5 * (size ?? 0), 5)
    expect((await model.evaluate(batch([2, 2]))).loss).toBeCloseTo(2 * plain.loss, 5)
    const losses: number[] = []
    for (let i = 0; i < 30; i++) losses.push((await model.trainStep(batch([1, 1]))).loss)
    expect(losses.at(-1)).toBeLessThan(losses[0]! / 4)
    model.dispose()
  })

  it.each([
    ['defines no model', 'pass', /defines no `model`/],
    [
      'does not compile it',
      'import keras\nmodel = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])',
      /`model` is not compiled/,
    ],
    ['fails itself', 'raise RuntimeError("my own mistake")', /my own mistake/],
  ])('says in one line when the script %s', async (_what, text, message) => {
    const script = join(dir, 'wrong.py')
    await writeFile(script, text)
    await expect(exportModel({ script, out: join(dir, 'wrong') })).rejects.toMatchObject({
      code: 'STK_MODEL_EXPORT_FAILED',
      message: expect.stringMatching(message),
      remedy: expect.stringContaining('must define `model`'),
    })
  })

  it('still writes the fixture that other tests train', async () => {
    const out = await exportModel({ script: join(fixtures, 'digits_model.py'), out: join(dir, 'digits') })
    const store = createStore({ fileRoots: [dir, fixtures] })
    const chain = { image: [{ op: 'cast' as const, dtype: 'float32' as const }] }
    const losses = async (folder: string) => {
      const train = { model: { kind: 'savedModel' as const, uri: fileUri(folder) } }
      const model = await engine.createModel(train, { store }, fields, chain)
      const results = await steps(model, 0, 3, (k) => digitBatch(k))
      model.dispose()
      return results
    }
    expect(await losses(out)).toEqual(await losses(join(fixtures, 'saved-model-digits')))
  })
})
