import { learningRateAt } from '@stoker/spec'
import { beforeAll, expect, it } from 'vitest'
import type { Engine } from '../src/index.js'
import { metricValue, rocBuckets } from '../src/objective/metric-sums.js'
import { goldenTrainings, head } from './support/golden.js'
import { nativeEngine } from './support/native.js'

let engine: Engine
beforeAll(async () => {
  engine = await nativeEngine()
}, 900_000)

// Keras computes in single precision with other kernels: a few units in the last place grow over six steps.
goldenTrainings(() => engine, 3e-6)

it.each(head.schedules)('has the rates of Keras: $schedule.type', ({ schedule, rates }) => {
  for (const [step, rate] of rates.entries())
    expect(Math.abs(learningRateAt(schedule, step) - rate), `step ${step}`).toBeLessThan(1e-7)
})

it.each(head.auc)('has the area under the curve of Keras: $auc', ({ predictions, labels, auc }) => {
  expect(metricValue(rocBuckets(Float32Array.from(predictions), labels))).toBeCloseTo(auc, 6)
})
