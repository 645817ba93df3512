import { expect } from 'vitest'
import type { DecodedBatch, ModelFiles, StepResult, TrainingModel } from '../../src/index.js'
import { digitBatch } from './digits.js'

export async function steps(
  model: TrainingModel,
  from: number,
  to: number,
  batch: (k: number) => DecodedBatch = digitBatch,
) {
  const results: StepResult[] = []
  for (let k = from; k < to; k++) results.push(await model.trainStep(batch(k)))
  return results
}

/** Trains 20 steps, and again with a change of models after step 10: losses must be the same to the last bit. */
export async function expectBitwiseResume(create: () => Promise<TrainingModel>): Promise<ModelFiles> {
  const whole = await create()
  const expected = await steps(whole, 0, 20)
  const before = await whole.evaluate(digitBatch(99))
  whole.dispose()

  const first = await create()
  const half = await steps(first, 0, 10)
  const files = await first.save()
  // The model that is saved goes on unharmed, too.
  const rest = await steps(first, 10, 20)
  first.dispose()
  expect([...half, ...rest]).toEqual(expected)

  const second = await create()
  // Losses that only a model of its own history can have.
  await steps(second, 50, 53)
  await second.restore(files)
  expect(await steps(second, 10, 20)).toEqual(expected.slice(10))
  expect(await second.evaluate(digitBatch(99))).toEqual(before)
  second.dispose()
  return files
}
