import { createOrder, type OrderSpec } from '@stoker/plan'
import { expect, test } from 'vitest'
import { decideRelease } from '../src/release.js'

const specOf = (shards: number): OrderSpec => ({
  seed: 1,
  epochs: 2,
  records: {
    ...{ kind: 'shards', first: 0, count: shards, seed: 1, shuffleShards: false, shuffle: null, copies: 1 },
    interleave: { cycleLength: 1, blockLength: 1 },
  },
  batch: { size: 10, dropRemainder: false },
  batches: [],
})
/** Two epochs of ten batches. */
const order = createOrder(specOf(1), [95])
const at = (epoch: number, ...batches: number[]) => batches.map((batch) => ({ epoch, batch }))
const decide = (state: Partial<Parameters<typeof decideRelease>[0]>) =>
  decideRelease({ order, cursor: { epoch: 0, batch: 0 }, ready: [], windowBatches: 6, taskBatches: 2, ...state })
const spans = (state: Parameters<typeof decide>[0]) =>
  decide(state).tasks.map(({ epoch, firstBatch, count }) => `${epoch}:${firstBatch}+${count}`)

test('releases whole tasks that fit the window', () => {
  expect(spans({})).toEqual(['0:0+2', '0:2+2', '0:4+2'])
})

test('leaves out tasks whose batches are all ready', () => {
  expect(spans({ ready: at(0, 0, 1, 2) })).toEqual(['0:2+2', '0:4+2'])
})

test('releases a task again when one of its batches got lost', () => {
  expect(spans({ cursor: { epoch: 0, batch: 1 }, ready: at(0, 2, 3, 4) })).toEqual(['0:0+2', '0:4+2'])
})

test('goes on across the end of an epoch without refilling', () => {
  expect(spans({ cursor: { epoch: 0, batch: 8 } })).toEqual(['0:8+2', '1:0+2', '1:2+2'])
})

test('a cursor at the end of an epoch stands at the start of the next', () => {
  expect(spans({ cursor: { epoch: 0, batch: 10 }, windowBatches: 2 })).toEqual(['1:0+2'])
})

test('releases nothing past the last epoch', () => {
  expect(spans({ cursor: { epoch: 1, batch: 9 } })).toEqual(['1:8+2'])
  expect(spans({ cursor: { epoch: 1, batch: 10 } })).toEqual([])
  expect(spans({ cursor: { epoch: 2, batch: 0 } })).toEqual([])
})

test('a window smaller than a task still moves', () => {
  expect(spans({ windowBatches: 1, taskBatches: 4 })).toEqual(['0:0+4'])
  expect(spans({ windowBatches: 1, taskBatches: 4, cursor: { epoch: 0, batch: 3 } })).toEqual(['0:0+4'])
})

test('never has more batches ahead of the cursor than the window', () => {
  for (let batch = 0; batch < 10; batch++) {
    for (const windowBatches of [2, 3, 5, 7, 16]) {
      const { tasks } = decide({ cursor: { epoch: 0, batch }, windowBatches })
      const ahead = tasks.flatMap(({ epoch, firstBatch, count }) =>
        Array.from({ length: count }, (_, i) => epoch * 10 + firstBatch + i).filter((linear) => linear >= batch),
      )
      expect(ahead.length).toBeLessThanOrEqual(Math.max(windowBatches, 2))
    }
  }
})

test('after a rewind, batches beyond the window give up their bytes', () => {
  const { tasks, discard } = decide({ ready: [...at(0, 4, 5, 8, 9), ...at(1, 0)] })
  expect(tasks.map(({ firstBatch }) => firstBatch)).toEqual([0, 2])
  expect(discard).toEqual([...at(0, 8, 9), ...at(1, 0)])
})

test('releases only what the indexed shards make certain', () => {
  const partly = createOrder(specOf(3), [35, undefined, 10])
  expect(spans({ order: partly })).toEqual(['0:0+2'])
})

test('epochs without batches are seen as the end at once, however many there are', () => {
  const empty = createOrder({ ...specOf(1), epochs: 2 ** 30, batch: { size: 10, dropRemainder: true } }, [5])
  expect(spans({ order: empty })).toEqual([])
})
