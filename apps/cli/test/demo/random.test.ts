import { expect, it } from 'vitest'
import { seededRandom, shuffled } from '../../src/demo/random.js'

it('gives the same order for the same seed, another one for another, and loses nothing', () => {
  const items = Array.from({ length: 1000 }, (_, at) => at)
  expect(shuffled(items, 1)).toEqual(shuffled(items, 1))
  expect(shuffled(items, 1)).not.toEqual(shuffled(items, 2))
  expect(shuffled(items, 1).sort((a, b) => a - b)).toEqual(items)
})

it('gives numbers in [0, 1) that fill it evenly', () => {
  const random = seededRandom(5)
  const counts = new Array<number>(10).fill(0)
  for (let at = 0; at < 10_000; at++) {
    const bin = Math.floor(random() * 10)
    counts[bin] = (counts[bin] ?? 0) + 1
  }
  expect(Math.min(...counts)).toBeGreaterThan(850)
  expect(Math.max(...counts)).toBeLessThan(1150)
})
