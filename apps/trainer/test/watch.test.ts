import { readFile } from 'node:fs/promises'
import type { Train } from '@stoker/spec'
import { expect, it } from 'vitest'
import type { EpochResult } from '../src/epoch-result.js'
import { afterEpoch, NOTHING_WATCHED, toldBy } from '../src/watch.js'

// Written by test/parity/golden_training.py with keras.callbacks.EarlyStopping.
interface Golden {
  readonly earlyStopping: NonNullable<Train['earlyStopping']>
  readonly values: readonly (number | null)[]
  readonly stoppedAfter: number | null
  readonly best: number
}
const file = new URL('../../../test/fixtures/golden/training.json', import.meta.url)
const [{ stopping }] = JSON.parse(await readFile(file, 'utf8')) as [{ stopping: Golden[] }]

const model = { kind: 'savedModel' as const, uri: 'file:m' }
const result = (epoch: number, more: Partial<EpochResult> = {}): EpochResult => ({
  ...{ epoch, loss: 1, accuracy: null, metrics: { auc: 0.5 }, learningRate: null },
  ...{ valLoss: 2, valAccuracy: null, valMetrics: { auc: 0.25 } },
  ...more,
})
const monitored = (monitor: string | undefined, epoch: number, value: number): EpochResult =>
  monitor === 'valAccuracy'
    ? result(epoch, { valAccuracy: value, valMetrics: { accuracy: value } })
    : result(epoch, { valLoss: value })

function follow(train: Train, results: readonly EpochResult[]) {
  let watch = NOTHING_WATCHED
  for (const one of results) {
    watch = afterEpoch(train, watch, one)
    if (watch.stoppedAfter !== null) break
  }
  return watch
}

it.each(stopping)('stops after the epoch where Keras does: $earlyStopping $values', (golden) => {
  const { earlyStopping, values, stoppedAfter, best } = golden
  const results = values.map((value, epoch) => monitored(earlyStopping.monitor, epoch, value ?? Number.NaN))
  const watch = follow({ model, earlyStopping, validation: {} as never }, results)
  expect(watch.stoppedAfter).toBe(stoppedAfter)
  expect(watch.best?.epoch).toBe(best)
})

it('has the best epoch by the loss on held-out data where nothing else is said, and none without such', () => {
  const results = [3, 1, 2].map((valLoss, epoch) => result(epoch, { valLoss }))
  expect(follow({ model, validation: {} as never }, results).best).toEqual({ epoch: 1, value: 1 })
  expect(follow({ model }, results).best).toBeNull()
  const best = { monitor: 'auc' }
  const byAuc = [0.5, 0.9, 0.7].map((auc, epoch) => result(epoch, { metrics: { auc } }))
  expect(follow({ model, checkpoint: { best } }, byAuc).best).toEqual({ epoch: 1, value: 0.9 })
})

it('goes on from a stored watch as if there had been no stop', () => {
  const train: Train = { model, validation: {} as never, earlyStopping: { patience: 2 } }
  const results = [5, 4, 4, 4].map((valLoss, epoch) => result(epoch, { valLoss }))
  const half = JSON.parse(JSON.stringify(follow(train, results.slice(0, 3))))
  expect(afterEpoch(train, half, results[3]!)).toEqual(follow(train, results))
  expect(follow(train, results).stoppedAfter).toBe(3)
})

it('names what an epoch tells when the job watches something else', () => {
  expect(Object.keys(toldBy(result(0)))).toEqual(['loss', 'auc', 'valLoss', 'valAuc'])
  const earlyStopping = { monitor: 'valRecall' }
  expect(() => follow({ model, earlyStopping, validation: {} as never }, [result(0)])).toThrow(
    /no epoch tells "valRecall", which the job watches; told are: loss, auc, valLoss, valAuc/,
  )
})
