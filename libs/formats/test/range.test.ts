import { expect, it } from 'vitest'
import { FORMATS } from '../src/formats.js'
import { RANGE_PIN, range } from '../src/range.js'
import { type Desk, failureOf, openDesk } from './support.js'

it('counts and gives the numbers of tf.data.Dataset.range', async () => {
  const desk: Desk = await openDesk()
  try {
    const values = async (source: { start?: number; stop: number; step?: number }) => {
      const full = { type: 'range', ...source } as const
      const index = await range.index(RANGE_PIN, full, desk.context)
      const all = Array.from({ length: index.count }, (_, record) => record)
      const records = await FORMATS.range.read(RANGE_PIN, index, full, all, desk.context)
      return records.map(({ value }) => (value!.data as BigInt64Array)[0])
    }
    expect(await values({ stop: 4 })).toEqual([0n, 1n, 2n, 3n])
    expect(await values({ start: 5, stop: -2, step: -3 })).toEqual([5n, 2n, -1n])
    expect(await values({ start: 3, stop: 3 })).toEqual([])
    const edge = Number.MAX_SAFE_INTEGER
    expect(await values({ start: edge - 1, stop: edge })).toEqual([BigInt(edge) - 1n])
    const index = await range.index(RANGE_PIN, { type: 'range', stop: 2 }, desk.context)
    const error = await failureOf(() => range.read(RANGE_PIN, index, { type: 'range', stop: 2 }, [2], desk.context))
    expect(error.code).toBe('STK_RECORD_UNKNOWN')
  } finally {
    await desk.close()
  }
})
