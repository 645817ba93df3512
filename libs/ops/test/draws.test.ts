import { keyOf } from '@stoker/plan'
import { describe, expect, it } from 'vitest'
import { drawCropBox } from '../src/random/crop-box.js'
import { drawsOf } from '../src/random/draws.js'

/** The key that a record has: seed, epoch, shard and record. */
const recordKey = (epoch: number, record: number, seed = 17) => keyOf(keyOf(seed, epoch, 0, record), 0, 0)

/** Pearson's statistic of counts that should all be equal. */
function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}

function histogram(values: Iterable<number>, bins: number): number[] {
  const counts = new Array<number>(bins).fill(0)
  for (const value of values) counts[Math.floor(value * bins)]!++
  return counts
}

// Keys are fixed, so these numbers never change: one in a million sound generators would fail at these limits.
const LIMIT_63 = 130
const LIMIT_255 = 380
const RECORDS = 20_000

describe('draws are uniform', () => {
  const firstDraws = (epoch: number) =>
    Array.from({ length: RECORDS }, (_, record) => drawsOf(recordKey(epoch, record)).uniform())

  it('over the records of an epoch', () => {
    for (const epoch of [0, 1, 1000]) expect(chiSquare(histogram(firstDraws(epoch), 64))).toBeLessThan(LIMIT_63)
  })

  it('over the epochs of a record', () => {
    const values = Array.from({ length: RECORDS }, (_, epoch) => drawsOf(recordKey(epoch, 3)).uniform())
    expect(chiSquare(histogram(values, 64))).toBeLessThan(LIMIT_63)
  })

  it('over the draws of one record', () => {
    const draws = drawsOf(recordKey(0, 0))
    expect(
      chiSquare(
        histogram(
          Array.from({ length: RECORDS }, () => draws.uniform()),
          64,
        ),
      ),
    ).toBeLessThan(LIMIT_63)
  })

  it('and independent: pairs fill the square evenly, of neighbouring records, epochs, seeds and draws', () => {
    const pairs = {
      records: (at: number) => [recordKey(0, at), recordKey(0, at + 1)],
      epochs: (at: number) => [recordKey(0, at), recordKey(1, at)],
      seeds: (at: number) => [recordKey(0, at, 17), recordKey(0, at, 18)],
    }
    for (const [name, keys] of Object.entries(pairs)) {
      const cells = Array.from({ length: RECORDS }, (_, at) => {
        const [x = 0, y = 0] = keys(at).map((key) => drawsOf(key).uniform())
        return (Math.floor(x * 16) * 16 + Math.floor(y * 16)) / 256
      })
      expect(chiSquare(histogram(cells, 256)), name).toBeLessThan(LIMIT_255)
    }
    const within = Array.from({ length: RECORDS }, (_, at) => {
      const draws = drawsOf(recordKey(0, at))
      return (Math.floor(draws.uniform() * 16) * 16 + Math.floor(draws.uniform() * 16)) / 256
    })
    expect(chiSquare(histogram(within, 256)), 'draws').toBeLessThan(LIMIT_255)
  })

  it('also as whole numbers and flips of a coin', () => {
    const sevens = Array.from({ length: RECORDS }, (_, at) => drawsOf(recordKey(0, at)).below(7) / 7 + 1e-9)
    // 6 degrees of freedom, one in a million.
    expect(chiSquare(histogram(sevens, 7))).toBeLessThan(38)
    expect(drawsOf(1).below(1)).toBe(0)
  })
})

it('differs between epochs for nearly all records', () => {
  const differing = Array.from({ length: 1000 }, (_, record) => {
    return drawsOf(recordKey(0, record)).uniform() !== drawsOf(recordKey(1, record)).uniform()
  })
  expect(differing.filter(Boolean).length).toBeGreaterThan(998)
})

it('is the same whatever was drawn before, in any order', () => {
  const forward = Array.from({ length: 50 }, (_, record) => drawsOf(recordKey(2, record)).uniform())
  const backward = Array.from({ length: 50 }, (_, at) => drawsOf(recordKey(2, 49 - at)).uniform())
  expect(backward.reverse()).toEqual(forward)
})

describe('Beta(alpha, alpha)', () => {
  it.each([0.001, 0.1, 0.2, 0.5, 1, 2.5, 1000])('has mean 1/2 and the right variance for alpha %d', (alpha) => {
    const values = Array.from({ length: RECORDS }, (_, at) => drawsOf(recordKey(0, at)).beta(alpha))
    const mean = values.reduce((sum, value) => sum + value, 0) / RECORDS
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / RECORDS
    const wanted = 1 / (4 * (2 * alpha + 1))
    expect(values.every((value) => value >= 0 && value <= 1)).toBe(true)
    // Five standard errors of the mean; the variance within five per cent.
    expect(Math.abs(mean - 0.5)).toBeLessThan(5 * Math.sqrt(wanted / RECORDS))
    expect(Math.abs(variance / wanted - 1)).toBeLessThan(0.05)
  })

  it('is uniform for alpha 1', () => {
    const values = Array.from({ length: RECORDS }, (_, at) => drawsOf(recordKey(5, at)).beta(1))
    expect(chiSquare(histogram(values, 64))).toBeLessThan(LIMIT_63)
  })
})

it('the normal law has its mean and variance', () => {
  const values = Array.from({ length: RECORDS }, (_, at) => drawsOf(recordKey(7, at)).normal())
  const mean = values.reduce((sum, value) => sum + value, 0) / RECORDS
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / RECORDS
  expect(Math.abs(mean)).toBeLessThan(5 / Math.sqrt(RECORDS))
  expect(Math.abs(variance - 1)).toBeLessThan(5 * Math.sqrt(2 / RECORDS))
})

it('crop boxes lie in the image and keep the bounds of area and ratio', () => {
  for (let record = 0; record < 2000; record++) {
    const [height, width] = [40 + (record % 90), 40 + (record % 70)]
    const { offset, size } = drawCropBox([height, width], [0.25, 0.5], [0.5, 2], drawsOf(recordKey(0, record)))
    expect(offset[0] >= 0 && offset[0] + size[0] <= height && offset[1] >= 0 && offset[1] + size[1] <= width).toBe(true)
    // Sides are rounded to whole pixels.
    const share = (size[0] * size[1]) / (height * width)
    expect(share).toBeGreaterThan(0.25 * 0.93)
    expect(share).toBeLessThan(0.5 * 1.07)
    expect(size[1] / size[0]).toBeGreaterThan(0.5 * 0.93)
    expect(size[1] / size[0]).toBeLessThan(2 * 1.07)
  }
})
