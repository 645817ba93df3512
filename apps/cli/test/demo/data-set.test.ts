import { mkdtemp, readdir, rm, stat, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createPageCache, FORMATS, parseExample } from '@stoker/formats'
import { fixedLen } from '@stoker/spec'
import { createStore, type ObjectStore } from '@stoker/storage'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type DataSetRecipe, ensureDataSet } from '../../src/demo/data-set.js'
import { digitsRecipe } from '../../src/demo/digits-data.js'
import { imageShards } from '../../src/demo/image-shards.js'
import { makePhotos } from '../../src/demo/photos-data.js'

let folder: string
let store: ObjectStore
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoker-data-'))
  store = createStore({ fileRoots: [folder] })
})
afterAll(async () => {
  await store.close()
  await rm(folder, { recursive: true, force: true })
})

/** Every record of the shards, read back by the reader that jobs use. */
async function readBack(pattern: string, compression: 'NONE' | 'GZIP') {
  const source = { type: 'tfrecord', files: pattern, compression } as const
  const context = { store, scratch: pathToFileURL(join(folder, 'scratch')).href, pages: createPageCache(1 << 24) }
  const features = { image: fixedLen('string'), label: fixedLen('int64') }
  const labels: number[] = []
  for (const pin of await store.list(pattern)) {
    const index = await FORMATS.tfrecord.index(pin, source, context)
    const all = Array.from({ length: index.count }, (_, at) => at)
    for (const { record } of await FORMATS.tfrecord.read(pin, index, source, all, context)) {
      const { label } = parseExample(record?.data as Uint8Array, features)
      labels.push(Number(label?.data[0]))
    }
  }
  return labels
}

it('has 10,000 digits, 9,000 to learn from with a moved copy each and 1,000 held out, all ten in both', async () => {
  const data = await ensureDataSet(store, pathToFileURL(folder).href, digitsRecipe, () => {})
  const [train, test] = [await readBack(data.train, 'GZIP'), await readBack(data.test, 'GZIP')]
  expect([train.length, test.length]).toEqual([18_000, 1_000])
  expect([data.trainRecords, data.testRecords]).toEqual([18_000, 1_000])
  const zeros = (labels: readonly number[]) => labels.filter((label) => label === 0).length
  expect(zeros(train) / 2 + zeros(test)).toBe(1_001)
  expect(new Set(train).size).toBe(10)
  expect(new Set(test).size).toBe(10)
})

it('makes the same photos for the same seed', async () => {
  const [one, two] = [await makePhotos(50, () => {}), await makePhotos(50, () => {})]
  expect(one.train.length + one.test.length).toBe(50)
  expect(new Set(one.train.map(({ label }) => label)).size).toBe(5)
  expect(
    Buffer.concat(one.train.map(({ image }) => image)).equals(Buffer.concat(two.train.map(({ image }) => image))),
  ).toBe(true)
})

it('writes once, and again after a run that was interrupted before its manifest', async () => {
  let made = 0
  const recipe: DataSetRecipe = {
    ...{ about: 'three', name: 'tiny' },
    make: async () => {
      made++
      const train = [1, 2, 3].map((label) => ({ image: new Uint8Array([label]), label }))
      const parts = { train, test: train.slice(0, 1) }
      return imageShards(parts, { compression: 'NONE', trainShards: 2, testShards: 1 })
    },
  }
  const base = pathToFileURL(folder).href
  const first = await ensureDataSet(store, base, recipe, () => {})
  expect(await ensureDataSet(store, base, recipe, () => {})).toEqual(first)
  expect(made).toBe(1)
  expect(await readBack(first.train, 'NONE')).toEqual([1, 2, 3])
  const files = join(folder, 'demo', 'tiny')
  expect(await readdir(files)).toHaveLength(4)
  await unlink(join(files, 'manifest.json'))
  await ensureDataSet(store, base, recipe, () => {})
  expect(made).toBe(2)
  expect((await stat(join(files, 'manifest.json'))).size).toBeGreaterThan(0)
})
