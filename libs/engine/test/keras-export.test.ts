import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTool } from '@stoker/services'
import type { Signature, Train } from '@stoker/spec'
import { createStore } from '@stoker/storage'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type DecodedBatch, type Engine, loadEngine } from '../src/index.js'
import { tensorflowEnvironments } from '../src/install/python.js'
import { convTopology, digitBatch, drawer } from './support/digits.js'
import { graph, graphBatch, graphFields, graphTrain } from './support/graph.js'
import { nativeEngine } from './support/native.js'

const python = (await tensorflowEnvironments()).find(({ version }) => version === '2.21.0')?.python
const SCRIPT = `
import json, sys
import keras, numpy as np
model = keras.saving.load_model(sys.argv[1])
given = json.load(open(sys.argv[2]))
x = {name: np.array(value["values"], np.float32).reshape(value["shape"]) for name, value in given.items()}
found = model.predict([x[t.name] for t in model.inputs] if len(x) > 1 else list(x.values())[0], verbose=0)
print(json.dumps([np.asarray(one).ravel().tolist() for one in (found if isinstance(found, list) else [found])]))
`

let engine: Engine
let dir: string
beforeAll(async () => {
  engine = await nativeEngine()
  dir = await mkdtemp(join(tmpdir(), 'stoker-test-'))
}, 900_000)
afterAll(() => rm(dir, { recursive: true }))

const store = createStore({ fileRoots: [tmpdir()] })
const floatImage: Signature = {
  image: { dtype: 'float32', shape: [28, 28, 1] },
  label: { dtype: 'int64', shape: [] },
}
const words: Signature = { x: { dtype: 'int32', shape: [7] }, label: { dtype: 'float32', shape: [1] } }

const asFloats = (batch: DecodedBatch): DecodedBatch => {
  const [image, label] = batch.tensors as [DecodedBatch['tensors'][0], DecodedBatch['tensors'][0]]
  const floats = Float32Array.from(image.data, (value) => value / 255)
  return { tensors: [{ ...image, dtype: 'float32', data: new Uint8Array(floats.buffer) }, label] }
}

function wordBatch(): DecodedBatch {
  const draw = drawer(5)
  const x = Int32Array.from({ length: 10 * 7 }, () => Math.floor(draw() * 20))
  const y = Float32Array.from({ length: 10 }, (_, at) => (x[at * 7] as number) / 20)
  return {
    tensors: [
      { name: 'x', dtype: 'int32', shape: [10, 7], data: new Uint8Array(x.buffer) },
      { name: 'label', dtype: 'float32', shape: [10, 1], data: new Uint8Array(y.buffer) },
    ],
  }
}

const dense = (name: string, units: number, activation: string) => ({
  class_name: 'Dense',
  config: { name, units, activation },
})
const recurrent = (gates: string) => ({
  class_name: 'Sequential',
  config: {
    name: 'words',
    layers: [
      {
        class_name: 'Embedding',
        config: { name: 'embed', input_dim: 20, output_dim: 4, batch_input_shape: [null, 7] },
      },
      {
        class_name: 'GRU',
        config: { name: 'gru', units: 5, return_sequences: true, activation: 'tanh', recurrent_activation: gates },
      },
      { class_name: 'LSTM', config: { name: 'lstm', units: 3, activation: 'tanh', recurrent_activation: gates } },
      {
        class_name: 'Sequential',
        config: {
          name: 'top',
          layers: [
            { class_name: 'Dense', config: { name: 'a', units: 4, batch_input_shape: [null, 3] } },
            dense('b', 4, 'relu'),
          ],
        },
      },
      dense('out', 1, 'sigmoid'),
    ],
  },
})

interface Case {
  readonly train: Train
  readonly fields: Signature
  readonly batch: DecodedBatch
  /** Name of the model's input to field. */
  readonly inputs: Readonly<Record<string, string>>
}
const model = (topology: object) => ({ kind: 'layers' as const, topology: topology as typeof convTopology })
const cases: Readonly<Record<string, Case>> = {
  'convolution, batch normalisation and dropout': {
    train: { model: model(convTopology), loss: 'sparseCategoricalCrossentropy' },
    fields: floatImage,
    batch: asFloats(digitBatch(0, 16)),
    inputs: { image: 'image' },
  },
  'a graph with two inputs and two outputs': {
    train: { ...graphTrain, model: model(graph.topology) },
    fields: graphFields,
    batch: graphBatch(0, 12),
    inputs: { image: 'image', extra: 'numbers' },
  },
  'embedding, recurrent layers, a nested model': {
    train: { model: model(recurrent('sigmoid')), loss: 'mae', optimizer: { type: 'adam', learningRate: 0.02 } },
    fields: words,
    batch: wordBatch(),
    inputs: { x: 'x' },
  },
}

async function trained({ train, fields, batch }: Case) {
  const made = await engine.createModel(train, { store, seed: 2 }, fields, {})
  for (let k = 0; k < 12; k++) await made.trainStep(batch)
  return made
}

/** What a model of tfjs, loaded from the exported files, gives for a batch. */
async function predictions(files: ReadonlyMap<string, Uint8Array>, { batch, inputs }: Case): Promise<number[][]> {
  await loadEngine()
  const { requireTfjs } = await import('../src/load/tfjs.js')
  const tf = requireTfjs()
  const json = JSON.parse(Buffer.from(files.get('model.json')!).toString())
  const weightSpecs = json.weightsManifest[0].weights
  const weightData = new Uint8Array(files.get('weights.bin')!).buffer
  const loaded = await tf.loadLayersModel(
    tf.io.fromMemory({ modelTopology: json.modelTopology, weightSpecs, weightData }),
  )
  const given = loaded.inputs.map(({ sourceLayer }) => {
    const field = inputs[sourceLayer.name] ?? Object.values(inputs)[0]
    const tensor = batch.tensors.find(({ name }) => name === field)!
    return tf.tensor(valuesOf(tensor), [...tensor.shape], 'float32')
  })
  const found = loaded.predict(given.length === 1 ? given[0]! : given)
  return [found].flat().map((one) => [...one.dataSync()])
}

const valuesOf = ({ dtype, data }: DecodedBatch['tensors'][0]): number[] => [
  ...(dtype === 'int32' ? new Int32Array(data.buffer) : new Float32Array(data.buffer)),
]

describe.skipIf(python === undefined)('a .keras file, loaded by Keras 3', { timeout: 300_000 }, () => {
  it.each(Object.entries(cases))('predicts what was trained: %s', async (name, one) => {
    const made = await trained(one)
    const files = await made.exportModel(['tfjs', 'keras'])
    const at = (file: string) => join(dir, `${name.length}-${file}`)
    await writeFile(at('model.keras'), files.get('model.keras')!)
    const given = Object.entries(one.inputs).map(([input, field]) => {
      const tensor = one.batch.tensors.find((tensor) => tensor.name === field)!
      return [input, { shape: tensor.shape, values: valuesOf(tensor) }]
    })
    await writeFile(at('x.json'), JSON.stringify(Object.fromEntries(given)))
    await writeFile(at('load.py'), SCRIPT)
    const env = { ...process.env, CUDA_VISIBLE_DEVICES: '-1', TF_CPP_MIN_LOG_LEVEL: '3' }
    const said = await runTool(python!, [at('load.py'), at('model.keras'), at('x.json')], { env })
    const found = JSON.parse(String(said).trim().split('\n').at(-1) ?? '') as number[][]
    const wanted = await predictions(files, one)
    expect(found.map((values) => values.length)).toEqual(wanted.map((values) => values.length))
    for (const [output, values] of wanted.entries())
      for (const [index, value] of values.entries())
        expect(Math.abs((found[output]?.[index] ?? Number.NaN) - value)).toBeLessThan(1e-5)
    made.dispose()
  })
})

it('has the same bytes for the same weights', async () => {
  const made = await trained(cases['a graph with two inputs and two outputs']!)
  const one = await made.exportModel(['keras'])
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.UTC(2040, 1, 1))
  const other = await made.exportModel(['keras']).finally(() => clock.mockRestore())
  expect([...one.keys()]).toEqual(['model.keras'])
  expect(Buffer.from(one.get('model.keras')!).equals(other.get('model.keras')!)).toBe(true)
  made.dispose()
})

it('is not written for a layer that Keras 3 would compute in another way', async () => {
  const one = cases['embedding, recurrent layers, a nested model']!
  const made = await trained({ ...one, train: { ...one.train, model: model(recurrent('hard_sigmoid')) } })
  await expect(made.exportModel(['keras'])).rejects.toMatchObject({
    code: 'STK_MODEL_EXPORT_UNFIT',
    message: expect.stringContaining('layer gru: hard_sigmoid'),
  })
  made.dispose()
})
