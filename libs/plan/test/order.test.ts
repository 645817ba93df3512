import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createOrder, type OrderNode, type OrderSpec, type ShardsNode } from '../src/index.js'
import { permutation } from '../src/order/random.js'

/** What a test varies; the rest stands for one source read shard by shard. */
interface Asked {
  readonly interleave?: ShardsNode['interleave']
  readonly shuffleShards?: boolean
  readonly shuffle?: NonNullable<ShardsNode['shuffle']>
  readonly copies?: number
  readonly repeat?: number
  readonly batches?: OrderSpec['batches']
  readonly batch?: OrderSpec['batch']
}
const base: Asked = {}

function orderOf(asked: Asked, counts: readonly (number | undefined)[]) {
  const shards: ShardsNode = {
    kind: 'shards',
    first: 0,
    count: counts.length,
    seed: 7,
    shuffleShards: asked.shuffleShards ?? false,
    interleave: asked.interleave ?? { cycleLength: 1, blockLength: 1 },
    shuffle: asked.shuffle ?? null,
    copies: asked.copies ?? 1,
  }
  const records: OrderNode = asked.repeat ? { kind: 'repeat', input: shards, count: asked.repeat } : shards
  const batch = asked.batch ?? { size: 5, dropRemainder: false }
  return createOrder({ seed: 7, epochs: 3, records, batch, batches: asked.batches ?? [] }, counts)
}
const window = (bufferSize: number | 'global', seed = 7) => ({
  bufferSize,
  seed,
  reshuffle: true,
  mixShards: 3,
  blockRecords: 4,
})

/** Shard counts with empty shards, a long one and single records among them. */
const COUNTS = [13, 0, 40, 1, 7, 22, 0, 9, 100, 3]
const TOTAL = COUNTS.reduce((sum, count) => sum + count, 0)

const shuffles: [string, Asked][] = [
  ['none', base],
  ['interleave', { ...base, interleave: { cycleLength: 4, blockLength: 3 } }],
  ['shards', { ...base, shuffleShards: true, interleave: { cycleLength: 3, blockLength: 2 } }],
  ['window of 10', { ...base, shuffle: window(10) }],
  ['window of 50', { ...base, shuffle: window(50) }],
  ['window above the data', { ...base, shuffle: window(10_000) }],
  ['global', { ...base, shuffle: window('global') }],
  [
    'batches',
    { ...base, shuffle: window(10), batches: [{ kind: 'shuffle', bufferSize: 4, seed: 3, reshuffle: true }] },
  ],
  ['all batches', { ...base, batches: [{ kind: 'shuffle', bufferSize: 'global', seed: 3, reshuffle: true }] }],
]

function epochOf(spec: Asked, epoch: number, counts: readonly (number | undefined)[] = COUNTS): string[][] {
  const order = orderOf(spec, counts)
  return Array.from({ length: order.knownBatches(epoch) }, (_, batch) =>
    order.batch(epoch, batch).map(({ shard, record }) => `${shard}:${record}`),
  )
}

describe.each(shuffles)('with shuffle: %s', (_name, spec) => {
  test('every record comes once an epoch', () => {
    for (const epoch of [0, 1, 2]) {
      const seen = epochOf(spec, epoch).flat()
      expect(seen.length).toBe(TOTAL)
      expect(new Set(seen).size).toBe(TOTAL)
    }
  })

  test('the same spec gives the same order, whatever was asked before', () => {
    const order = orderOf(spec, COUNTS)
    for (const epoch of [2, 0, 1]) order.batch(epoch, 3)
    expect(order.batch(1, 7).map(({ shard, record }) => `${shard}:${record}`)).toEqual(epochOf(spec, 1)[7])
  })

  test('batches known while shards are missing stay as they are when the counts arrive', () => {
    const full = epochOf(spec, 0)
    const needed = orderOf(spec, COUNTS).shardOrder(0)
    const counts: (number | undefined)[] = COUNTS.map(() => undefined)
    let before = 0
    for (const shard of needed) {
      counts[shard] = COUNTS[shard]
      const known = epochOf(spec, 0, counts)
      expect(known).toEqual(full.slice(0, known.length))
      expect(known.length).toBeGreaterThanOrEqual(before)
      before = known.length
    }
    expect(before).toBe(full.length)
  })
})

test('epochs differ under shuffle, and do not under reshuffleEachIteration: false', () => {
  const spec = { ...base, shuffle: window(50) }
  expect(epochOf(spec, 0)).not.toEqual(epochOf(spec, 1))
  const fixed = { ...base, shuffle: { ...window(50), reshuffle: false } }
  expect(epochOf(fixed, 0)).toEqual(epochOf(fixed, 1))
})

test('seeds give different orders', () => {
  expect(epochOf({ ...base, shuffle: window(50, 1) }, 0)).not.toEqual(epochOf({ ...base, shuffle: window(50, 2) }, 0))
})

test('a window gathers records from several shards', () => {
  const order = orderOf({ ...base, shuffle: { ...window(40), blockRecords: 4 } }, [100, 100, 100, 100])
  const first = Array.from({ length: 40 }, (_, position) => order.recordAt(0, position))
  expect(new Set(first.map(({ shard }) => shard)).size).toBeGreaterThanOrEqual(3)
  const rises = first.filter((ref, index) => index > 0 && ref.record === (first[index - 1]?.record ?? 0) + 1)
  expect(rises.length).toBeLessThan(10)
})

test('the first group is known before the other shards are indexed', () => {
  const spec = { ...base, shuffle: window(10) }
  const needed = orderOf(spec, COUNTS).shardOrder(0)
  const counts = COUNTS.map((count, shard) => (needed.indexOf(shard) < 5 ? count : undefined))
  expect(orderOf(spec, counts).knownBatches(0)).toBeGreaterThan(0)
  expect(orderOf(spec, counts).batchesIn(0)).toBeUndefined()
  expect(() => orderOf(spec, counts).batch(0, 50)).toThrow(/not known yet/)
})

test('repeat before batch lets batches straddle passes, and each pass holds every record once', () => {
  const seen = epochOf({ ...base, shuffle: window(50), repeat: 3 }, 0).flat()
  expect(seen.length).toBe(3 * TOTAL)
  for (const pass of [0, 1, 2]) expect(new Set(seen.slice(pass * TOTAL, (pass + 1) * TOTAL)).size).toBe(TOTAL)
})

test('repeat before shuffle blends passes, and each record comes as often as asked', () => {
  const seen = epochOf({ ...base, shuffle: window('global'), copies: 2 }, 0).flat()
  const times = new Map<string, number>()
  for (const ref of seen) times.set(ref, (times.get(ref) ?? 0) + 1)
  expect(new Set(times.values())).toEqual(new Set([2]))
  expect(new Set(seen.slice(0, TOTAL)).size).toBeLessThan(TOTAL)
})

test('batches have the sizes that TensorFlow gives range(100).batch(7)', () => {
  const golden = JSON.parse(
    readFileSync(new URL('../../../test/fixtures/golden/batch.json', import.meta.url), 'utf8'),
  ) as {
    range: number
    repeat: number
    batch: number
    dropRemainder: boolean
    values: number[][]
  }[]
  expect(golden.length).toBeGreaterThan(0)
  for (const { range, repeat, batch, dropRemainder, values } of golden) {
    const spec = { ...base, batch: { size: batch, dropRemainder }, repeat }
    const order = orderOf(spec, [range])
    const batches = Array.from({ length: order.batchesIn(0) ?? -1 }, (_, index) =>
      order.batch(0, index).map(({ record }) => record),
    )
    expect(batches).toEqual(values)
  }
})

test('a batch past the end is refused', () => {
  expect(() => orderOf(base, [10]).batch(0, 2)).toThrow(/no batch 2 in epoch 0/)
  expect(() => orderOf(base, [10]).batch(3, 0)).toThrow(/no batch 0 in epoch 3/)
})

// Pinned: users hold resume tokens and hashes of batches. Changing the order breaks both, so it takes a new plan version.
test('the shuffled order is the one pinned here', () => {
  const order = orderOf({ ...base, shuffle: window(10, 42) }, [6, 5, 9])
  const first = order.batch(0, 0).concat(order.batch(0, 1))
  expect(first.map(({ shard, record }) => `${shard}:${record}`)).toMatchInlineSnapshot(`
    [
      "1:2",
      "0:3",
      "2:2",
      "1:0",
      "1:3",
      "2:5",
      "0:4",
      "1:4",
      "2:3",
      "0:2",
    ]
  `)
})

test('a permutation and its inverse undo each other', () => {
  for (const size of [1, 2, 3, 10, 17, 1000]) {
    const { at, placeOf } = permutation(size, 42)
    const values = Array.from({ length: size }, (_, index) => at(index))
    expect(new Set(values).size).toBe(size)
    expect(values.map(placeOf)).toEqual(Array.from({ length: size }, (_, index) => index))
  }
})

test('the largest range is planned by arithmetic: no step goes through its records', () => {
  const order = orderOf({ ...base, shuffle: { ...window(1000), blockRecords: 62 } }, [2 ** 52])
  const refs = order.batch(0, 123_456_789_012)
  expect(new Set(refs.map(({ record }) => record)).size).toBe(5)
})
