import { describe, expect, test } from 'vitest'
import {
  blockShares,
  createOrder,
  type OrderNode,
  type OrderSpec,
  type RecordRef,
  type ShardsNode,
} from '../src/index.js'

/** Numbers that repeat from run to run (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A random tree over shards of its own, and their counts. */
function randomTree(seed: number): { records: OrderNode; counts: number[] } {
  const draw = numbers(seed)
  const upTo = (most: number) => Math.floor(draw() * (most + 1))
  const counts: number[] = []
  const leaf = (): ShardsNode => {
    const count = 1 + upTo(3)
    const first = counts.length
    for (let shard = 0; shard < count; shard++) counts.push(upTo(12))
    const shuffle = { bufferSize: draw() < 0.3 ? ('global' as const) : 1 + upTo(20), seed: upTo(9), reshuffle: true }
    return {
      ...{ kind: 'shards', first, count, seed: upTo(9), shuffleShards: draw() < 0.5 },
      interleave: { cycleLength: 1 + upTo(3), blockLength: 1 + upTo(2) },
      shuffle: draw() < 0.5 ? { ...shuffle, mixShards: 2, blockRecords: 1 + upTo(3) } : null,
      copies: 1,
    }
  }
  const node = (depth: number): OrderNode => {
    const kind = depth === 0 ? 0 : upTo(5)
    if (kind === 0) return leaf()
    if (kind === 1) return { kind: 'repeat', input: node(depth - 1), count: 1 + upTo(2) }
    if (kind === 2) {
      const steps = [
        { kind: 'take', count: upTo(30) },
        { kind: 'skip', count: upTo(6) },
        { kind: 'shard', shards: 3, index: upTo(2) },
        { kind: 'shuffle', bufferSize: draw() < 0.3 ? 'global' : 2 + upTo(9), seed: upTo(9), reshuffle: true },
      ] as const
      return { kind: 'step', input: node(depth - 1), step: steps[upTo(3)]! }
    }
    const inputs = Array.from({ length: 1 + upTo(2) }, () => node(depth - 1))
    if (kind === 3) return { kind: 'concatenate', inputs }
    if (kind === 4) return { kind: 'zip', inputs }
    const weights = inputs.map(() => 1 + upTo(4))
    return { kind: 'sampleFrom', inputs, weights, seed: upTo(9), stopOnEmpty: draw() < 0.5 }
  }
  return { records: node(3), counts }
}

const specOf = (records: OrderNode, size = 3): OrderSpec => ({
  ...{ seed: 1, epochs: 2, records, batches: [] },
  batch: { size, dropRemainder: false },
})

const told = ({ shard, record, copy = 0, parts = [] }: RecordRef): string =>
  parts.length > 0 ? `(${parts.map(told).join(' ')})` : `${shard}:${record}:${copy}`

function epochOf(spec: OrderSpec, counts: readonly (number | undefined)[], epoch: number): string[][] {
  const order = createOrder(spec, counts)
  return Array.from({ length: order.knownBatches(epoch) }, (_, batch) => order.batch(epoch, batch).map(told))
}

describe.each(Array.from({ length: 150 }, (_, seed) => seed + 1))('tree %d', (seed) => {
  const { records, counts } = randomTree(seed)
  const spec = specOf(records)

  test('batches known while shards are missing stay as they are, and all are known at the end', () => {
    for (const epoch of [0, 1]) {
      const full = epochOf(spec, counts, epoch)
      const order = createOrder(spec, counts)
      expect(full.length).toBe(order.batchesIn(epoch))
      expect(full.flat().length).toBe(order.recordsIn(epoch))
      const partly: (number | undefined)[] = counts.map(() => undefined)
      for (const shard of order.shardOrder(epoch)) {
        const known = epochOf(spec, partly, epoch)
        expect(known).toEqual(full.slice(0, known.length))
        const total = createOrder(spec, partly).batchesIn(epoch)
        if (total !== undefined) expect(total).toBe(full.length)
        partly[shard] = counts[shard]
      }
      expect(epochOf(spec, partly, epoch)).toEqual(full)
    }
  })

  test('no visit of a record comes twice in an epoch', () => {
    const seen = epochOf(spec, counts, 0).flat()
    expect(new Set(seen).size).toBe(seen.length)
  })
})

const leafOf = (first: number): OrderNode => ({
  ...{ kind: 'shards', first, count: 1, seed: 1, shuffleShards: false, shuffle: null, copies: 1 },
  interleave: { cycleLength: 1, blockLength: 1 },
})

test('every record of every input is drawn when sampling goes on, in proportion while all have records', () => {
  const records: OrderNode = {
    ...{ kind: 'sampleFrom', inputs: [leafOf(0), leafOf(1), leafOf(2)], weights: [5, 3, 2] },
    ...{ seed: 4, stopOnEmpty: false },
  }
  const counts = [50_000, 30_000, 25_000]
  const order = createOrder(specOf(records, 1000), counts)
  expect(order.recordsIn(0)).toBe(105_000)
  const shardsIn = (batch: number) => order.batch(0, batch).map(({ shard }) => shard)
  const of = (shards: number[], shard: number) => shards.filter((one) => one === shard).length
  const first = Array.from({ length: 90 }, (_, batch) => shardsIn(batch)).flat()
  expect(of(first, 0) / first.length).toBeCloseTo(0.5, 2)
  expect(of(first, 1) / first.length).toBeCloseTo(0.3, 2)
  expect(new Set(shardsIn(104))).toEqual(new Set([2]))
})

test('a block meets weights exactly where a small one can, and leaves no input out', () => {
  expect(blockShares([3, 1])).toEqual([768, 256])
  expect(blockShares([0.7, 0.3])).toEqual([714, 306])
  const tiny = blockShares([1, 1e-5])
  expect(tiny[1]).toBe(1)
  expect(tiny[0]! / tiny[1]!).toBeGreaterThan(90_000)
})

test('a billion records in 100,000 shards are sampled, zipped and cut without being gone through', () => {
  const wide = (first: number): OrderNode => ({ ...(leafOf(first) as ShardsNode), count: 50_000 })
  const records: OrderNode = {
    kind: 'step',
    input: { kind: 'sampleFrom', inputs: [wide(0), wide(50_000)], weights: [2, 1], seed: 1, stopOnEmpty: false },
    step: { kind: 'skip', count: 123_456_789 },
  }
  const order = createOrder(specOf(records), new Array(100_000).fill(10_000))
  expect(order.recordsIn(0)).toBe(1_000_000_000 - 123_456_789)
  expect(order.recordAt(0, 500_000_000).record).toBeLessThan(10_000)
})
