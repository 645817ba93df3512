import { createStore, fileUri } from '@stoker/storage'
import { beforeAll, describe, expect, it } from 'vitest'
import { addMetrics, type Engine, type MetricSums, metricValues } from '../src/index.js'
import { goldenFolder, graph, graphBatch, graphFields, graphTrain, RECORDS } from './support/graph.js'
import { nativeEngine } from './support/native.js'

const store = createStore({ fileRoots: [goldenFolder] })
const weights = `${fileUri(goldenFolder).replace(/\/$/, '')}/graph.keras`
let engine: Engine
beforeAll(async () => {
  engine = await nativeEngine()
}, 900_000)

it('trains a graph of Keras 3 from its .keras file as Keras does: losses and metrics of each output', async () => {
  const train = { ...graphTrain, model: { kind: 'layers' as const, weights } }
  const model = await engine.createModel(train, { store }, graphFields, {})
  for (const epoch of [0, 1]) {
    let loss = 0
    let sums: MetricSums = {}
    for (const from of [0, 6]) {
      const result = await model.trainStep(graphBatch(from, from + 6))
      loss += result.loss / 2
      sums = addMetrics(sums, result.metrics)
    }
    const wanted = (name: string) => graph.history[name]?.[epoch] ?? Number.NaN
    expect(Math.abs(loss - wanted('loss'))).toBeLessThan(1e-5)
    const found = metricValues(sums)
    expect(Object.keys(found)).toEqual(['side.loss', 'side.accuracy', 'main.loss', 'main.accuracy'])
    for (const [name, value] of Object.entries(found))
      expect(Math.abs(value - wanted(name.replace('.', '_'))), name).toBeLessThan(1e-5)
  }
  model.dispose()
})

it('reads topology and weights of different places', async () => {
  const { topology } = graph
  const train = { ...graphTrain, model: { kind: 'layers' as const, topology, weights } }
  const one = await engine.createModel(train, { store }, graphFields, {})
  const other = await engine.createModel({ ...train, model: { kind: 'layers', weights } }, { store }, graphFields, {})
  const batch = graphBatch(0, RECORDS)
  expect(await one.evaluate(batch)).toEqual(await other.evaluate(batch))
  one.dispose()
  other.dispose()
})

describe('says what does not fit', () => {
  const model = { kind: 'layers' as const, topology: graph.topology }
  const making = (more: object, fields = graphFields) =>
    engine.createModel({ ...graphTrain, model, ...more }, { store }, fields, {})

  it.each([
    ['an input that the model lacks', { features: { extra: 'numbers', picture: 'image' } }, /no input "picture", only/],
    ['an input without a field', { features: { image: 'image' } }, /names no field for input "extra"/],
    ['inputs that are not told apart', { features: undefined }, /2 inputs \(image, extra\)/],
    ['an output that the model lacks', { outputs: { head: { label: 'kind', loss: 'mse' } } }, /no output "head", only/],
    [
      'outputs that are not told apart',
      { outputs: undefined, label: 'kind', loss: 'mse' },
      /has 2 outputs \(main, side\)/,
    ],
  ])('%s', async (_name, more, message) => {
    const given = { ...more } as Record<string, unknown>
    await expect(making(given)).rejects.toThrow(message)
  })

  it('a label of another shape than its loss takes', async () => {
    const outputs = { main: { label: 'kind', loss: 'categoricalCrossentropy' } }
    await expect(making({ outputs })).rejects.toMatchObject({
      code: 'STK_MODEL_INPUT',
      place: { field: 'kind' },
      remedy: expect.stringContaining('oneHot'),
    })
  })
})
