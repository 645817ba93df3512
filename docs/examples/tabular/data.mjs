// Measurements of 344 penguins as CSV, from the PyPI package `palmerpenguins`.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pypiPackage } from '../support/packages.mjs'
import { mixed, shardFiles, writeIfMain } from '../support/recipe.mjs'

const TEST_SHARE = 0.2

export const recipe = {
  about: '344 penguins with their size, sex and island, one in five held out',
  name: 'tabular-v1',
  make: async (note) => {
    note('fetching the PyPI package palmerpenguins (20 KB)')
    const folder = await pypiPackage('palmerpenguins', '0.1.6')
    const text = await readFile(join(folder, 'palmerpenguins', 'data', 'penguins-raw.csv'), 'utf8')
    // No cell of this file holds a line break: a row is a line.
    const [header, ...rows] = text.trimEnd().split(/\r?\n/)
    const order = mixed(rows)
    const heldOut = Math.round(rows.length * TEST_SHARE)
    const asCsv = (lines) => Buffer.from([header, ...lines, ''].join('\n'))
    const [test, train] = [order.slice(0, heldOut), order.slice(heldOut)]
    return {
      files: new Map([...shardFiles('train', '.csv', train, 2, asCsv), ...shardFiles('test', '.csv', test, 1, asCsv)]),
      ...{ train: 'train-*.csv', test: 'test-*.csv' },
      ...{ trainRecords: train.length, testRecords: test.length },
    }
  },
}

await writeIfMain(import.meta, recipe)
