import { expect, it } from 'vitest'
import type { JobView } from '../../src/client/job-view.js'
import { gaugesOf } from '../../src/terminal/progress-view.js'

const view = (kind: JobView['kind'], state: JobView['state'], known: Partial<JobView['progress']>): JobView => ({
  ...{ id: 'a', name: 'a', kind, state, createdAt: '' },
  progress: {
    ...{
      shards: 8,
      shardsIndexed: 8,
      records: 0,
      epochs: 5,
      batchesTotal: null,
      batchesDone: null,
      epoch: 0,
      batch: 0,
    },
    ...{
      readyBatches: 4,
      readyBytes: 0,
      step: null,
      loss: null,
      accuracy: null,
      inputWaitShare: null,
      secondsLeft: null,
    },
    ...known,
  },
})

it('shows shards while they are indexed and nothing else is known', () => {
  expect(gaugesOf(view('feed', 'indexing', { shardsIndexed: 3 }))).toEqual([
    { name: 'index', done: 3, total: 8, facts: 'shards' },
  ])
})

it('shows steps with loss, accuracy and seconds left while it trains', () => {
  const known = { batchesTotal: 705, epoch: 1, batch: 9, step: 150, loss: 0.25, accuracy: 0.9, secondsLeft: 3.2 }
  const facts = 'epoch 2/5, loss 0.2500, accuracy 0.9000, 4 ready, 4 s left'
  expect(gaugesOf(view('train', 'running', known))[1]).toEqual({ name: 'train', done: 150, total: 705, facts })
})

it('shows metrics besides accuracy by their names', () => {
  const known = { batchesTotal: 10, step: 1, accuracy: 0.5, metrics: { accuracy: 0.5, 'side.auc': 0.75 } }
  expect(gaugesOf(view('train', 'running', known))[1]?.facts).toContain('accuracy 0.5000, side.auc 0.7500, 4 ready')
})

it('shows consumed batches of a feed, all of them once it has succeeded', () => {
  const known = { batchesTotal: 20, batchesDone: 7, epoch: 5 }
  expect(gaugesOf(view('feed', 'running', known))[1]).toMatchObject({ name: 'batches', done: 7 })
  expect(gaugesOf(view('feed', 'succeeded', known))[1]).toMatchObject({ done: 20, facts: 'epoch 5/5, 4 ready' })
})
