import { createRequire } from 'node:module'
import { beforeAll, expect, it } from 'vitest'
import { type Engine, loadEngine } from '../src/index.js'
import { convTopology, deferred, digitBatch, digitsTopology, fields, layers } from './support/digits.js'
import { fixtureStore, savedModelUri } from './support/native.js'
import { expectBitwiseResume, steps } from './support/same-course.js'

const tf = createRequire(import.meta.url)('@tensorflow/tfjs') as typeof import('@tensorflow/tfjs')
const context = { store: fixtureStore(), seed: 3 }
const notices: string[] = []
let engine: Engine
beforeAll(async () => {
  engine = await loadEngine({ use: 'wasm', notice: (line) => notices.push(line) })
})

it('is told once, with the command that brings a faster engine', async () => {
  expect(await loadEngine()).toBe(engine)
  expect(engine.report).toMatchObject({
    kind: 'wasm',
    device: 'CPU (WASM)',
    fix: expect.stringMatching(/stoker engine install --c/),
  })
  expect(notices.filter((line) => line.includes('training runs on WASM'))).toHaveLength(1)
})

it('learns the digits', async () => {
  const model = await engine.createModel(layers(digitsTopology), context, fields, deferred)
  await steps(model, 0, 60)
  expect((await model.evaluate(digitBatch(1000))).accuracy).toBeGreaterThan(0.98)
  model.dispose()
})

it('trains what it has no gradient kernels for with those of the CPU backend, and says so', async () => {
  const model = await engine.createModel(layers(convTopology), context, fields, deferred)
  const results = await steps(model, 0, 12, (k) => digitBatch(k, 16))
  expect(results.at(-1)!.loss).toBeLessThan(results[0]!.loss)
  expect(notices.join('\n')).toMatch(/WASM has no Conv2DBackpropFilter; the plain JavaScript kernel serves/)
  model.dispose()
})

it.each([
  { type: 'adam', amsgrad: true },
  { type: 'sgd' },
  { type: 'momentum', nesterov: true, clipNorm: 1 },
  { type: 'rmsprop', centered: true },
] as const)('goes on bitwise equal after save and restore, %o', async (optimizer) => {
  await expectBitwiseResume(() => engine.createModel(layers(digitsTopology, { optimizer }), context, fields, deferred))
})

it('keeps no tensor from step to step', async () => {
  const model = await engine.createModel(layers(convTopology), context, fields, deferred)
  await steps(model, 0, 2, (k) => digitBatch(k, 4))
  const before = tf.memory()
  for (let k = 0; k < 200; k++) await model.trainStep(digitBatch(k % 4, 4))
  await model.evaluate(digitBatch(0))
  await model.save()
  const after = tf.memory()
  expect([after.numTensors, after.numDataBuffers]).toEqual([before.numTensors, before.numDataBuffers])
  model.dispose()
})

it('refuses a SavedModel with a code and what to do', async () => {
  const train = { model: { kind: 'savedModel' as const, uri: savedModelUri } }
  await expect(engine.createModel(train, context, fields, deferred)).rejects.toMatchObject({
    code: 'STK_ENGINE_SAVED_MODEL_NEEDS_NATIVE',
    remedy: expect.stringContaining('stoker engine install'),
  })
})
