import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { foldDeferred } from '../src/model/deferred.js'
import { readSavedModelFacts } from '../src/model/saved-model-proto.js'
import { withSeededRandom } from '../src/model/seeded-random.js'
import { prepareTopology } from '../src/model/topology.js'
import { decodeWeights, encodeWeights, WEIGHT_FILE } from '../src/model/weight-file.js'
import { convTopology, digitsTopology } from './support/digits.js'
import { fixtures } from './support/native.js'

it('folds a chain of scales into one multiply-add, and nothing into none', () => {
  const scale = (factor: number, offset: number) => ({ op: 'scale' as const, factor, offset })
  expect(foldDeferred([{ op: 'cast', dtype: 'float32' }])).toBeUndefined()
  expect(foldDeferred([scale(2, 0), scale(0.5, 0)])).toBeUndefined()
  expect(foldDeferred([scale(2, 1), scale(3, -1)])).toEqual({ factor: 6, offset: 2 })
})

it('draws numbers that (seed, purpose, index) names, and gives Math.random back', () => {
  const before = Math.random
  const draw = (seed: number, purpose: string, index: number) =>
    withSeededRandom(seed, purpose, index, () => Array.from({ length: 1000 }, () => Math.random()))
  const first = draw(1, 'step', 0)
  expect(draw(1, 'step', 0)).toEqual(first)
  for (const other of [draw(2, 'step', 0), draw(1, 'weights', 0), draw(1, 'step', 1)])
    expect(other[0]).not.toBe(first[0])
  expect(Math.min(...first)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...first)).toBeLessThan(1)
  expect(first.reduce((sum, value) => sum + value) / 1000).toBeCloseTo(0.5, 1)
  expect(() =>
    withSeededRandom(1, 'step', 0, () => {
      throw new Error('inside')
    }),
  ).toThrow('inside')
  expect(Math.random).toBe(before)
})

const softmax = () => 'softmax' as const

it('moves the softmax of the output layer into the loss, and only that one', () => {
  const moved = prepareTopology(digitsTopology, softmax)
  expect([...moved.moved]).toEqual([0])
  expect(JSON.stringify(moved.trained)).not.toContain('softmax')
  expect(moved.original).toEqual(digitsTopology)
  expect(prepareTopology(digitsTopology, () => undefined).moved.size).toBe(0)
  expect(prepareTopology(digitsTopology, () => 'sigmoid').moved.size).toBe(0)
  const functional = (reader: string) => ({
    class_name: 'Functional',
    config: {
      layers: [
        { name: 'a', class_name: 'Dense', config: { activation: 'softmax' }, inbound_nodes: [] },
        { name: 'b', class_name: 'Dense', config: { activation: 'softmax' }, inbound_nodes: [[[reader, 0, 0, {}]]] },
      ],
      output_layers: [['b', 0, 0]],
    },
  })
  const { trained, moved: of } = prepareTopology(functional('a'), (name) => (name === 'b' ? 'softmax' : undefined))
  expect([...of]).toEqual([0])
  expect(JSON.stringify(trained).match(/softmax/g)).toHaveLength(1)
  expect(prepareTopology(functional('b'), softmax).moved.size).toBe(0)
})

it('drops the seeds of dropout layers but not those of initialisers', () => {
  const text = JSON.stringify(prepareTopology(convTopology, softmax).trained)
  expect(text).not.toContain('"seed":5')
  const dense = {
    class_name: 'Sequential',
    config: {
      layers: [
        { class_name: 'Dense', config: { kernel_initializer: { class_name: 'GlorotUniform', config: { seed: 5 } } } },
      ],
    },
  }
  expect(JSON.stringify(prepareTopology(dense, softmax).trained)).toContain('"seed":5')
})

it('reads what Keras 3 writes', () => {
  const keras3 = {
    module: 'keras',
    class_name: 'Sequential',
    registered_name: null,
    config: {
      layers: [
        {
          module: 'keras.layers',
          class_name: 'InputLayer',
          config: { batch_shape: [null, 4], dtype: 'float32' },
          registered_name: null,
        },
        {
          module: 'keras.layers',
          class_name: 'Dense',
          config: { units: 2, dtype: { module: 'keras', class_name: 'DTypePolicy', config: { name: 'float32' } } },
          build_config: { input_shape: [null, 4] },
        },
      ],
    },
  }
  expect(prepareTopology(keras3, softmax).trained).toEqual({
    class_name: 'Sequential',
    config: {
      layers: [
        { class_name: 'InputLayer', config: { batch_input_shape: [null, 4], dtype: 'float32' } },
        { class_name: 'Dense', config: { units: 2, dtype: 'float32' } },
      ],
    },
  })
})

it('reads the signatures of a SavedModel without its graph', async () => {
  const bytes = await readFile(`${fixtures}/saved-model-digits/saved_model.pb`)
  const { signatures, saver } = readSavedModelFacts(bytes)
  expect(
    Object.keys(signatures)
      .filter((name) => !name.startsWith('__'))
      .sort(),
  ).toEqual(['evaluate', 'predict', 'restore', 'save', 'train'])
  expect(signatures.train?.inputs).toEqual({
    x: { name: 'train_x:0', dtype: 1, shape: [-1, 28, 28, 1] },
    y: { name: 'train_y:0', dtype: 3, shape: [-1] },
  })
  expect(Object.keys(signatures.train?.outputs ?? {}).sort()).toEqual(['accuracy', 'loss'])
  expect(saver).toEqual({
    filename: 'saver_filename:0',
    save: expect.stringMatching(/^StatefulPartitionedCall_\d+:0$/),
  })
  expect(() => readSavedModelFacts(bytes.subarray(0, bytes.length - 10))).toThrow(RangeError)
})

it('keeps weights and their description through a file', () => {
  const weights = [
    { name: 'a', shape: [2, 2], values: Float32Array.of(1, -0, Number.MIN_VALUE, 3.5) },
    { name: 'b', shape: [0], values: new Float32Array() },
    { name: 'c', shape: [], values: Float32Array.of(Number.NaN) },
  ]
  const file = encodeWeights(weights, { step: '7' })
  expect(decodeWeights(new Map([[WEIGHT_FILE, file]]))).toEqual({ weights, metadata: { step: '7' } })
  const broken = () => decodeWeights(new Map([[WEIGHT_FILE, file.slice(0, 20)]]))
  expect(broken).toThrow(expect.objectContaining({ code: 'STK_CHECKPOINT_UNFIT' }))
})
