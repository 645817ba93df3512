import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { FormatContext } from '@stoker/formats'
import {
  concatenate,
  images,
  type PipelineBuilder,
  parquet,
  pipeline,
  tensors,
  toStokerError,
  webdataset,
  zip,
} from '@stoker/spec'
import { createStore } from '@stoker/storage'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { batchesOf, planOf, valuesOf } from './support.js'

const fixture = (path: string) => readFileSync(new URL(`../../../test/fixtures/${path}`, import.meta.url))
let folder: string
let context: FormatContext
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoker-sources-'))
  context = { store: createStore({ fileRoots: [folder] }), scratch: `file://${folder}/scratch` }
  const { files } = JSON.parse(fixture('cases/files/tree/hidden_and_upper_case.json').toString()) as {
    files: { path: string; base64: string }[]
  }
  for (const { path, base64 } of files) await put(`tree/${path}`, Buffer.from(base64, 'base64'))
  await put('dots.tar', fixture('cases/files/wds/dots_in_names.tar'))
  await put('table.parquet', fixture('golden/parquet/zstd.parquet'))
})
afterAll(async () => {
  await context.store.close()
  await rm(folder, { recursive: true, force: true })
})
async function put(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), bytes)
}

const run = async (chain: PipelineBuilder) =>
  (await batchesOf(await planOf({ pipeline: chain }, context), context)).map(valuesOf)

test('a folder of images becomes batches of pixels and labels', async () => {
  const chain = pipeline(images('file:tree')).decodeImage('image', { channels: 3 }).resize('image', [4, 4])
  const [first, second] = await run(chain.batch(4))
  expect(first?.image?.shape).toEqual([4, 4, 4, 3])
  expect(first?.label).toEqual({ shape: [4], values: [0, 0, 0, 0] })
  expect(second?.label?.values).toEqual([1, 1, 1])
  const shuffled = await run(chain.shuffle('global', { seed: 1 }).batch(7))
  expect(shuffled[0]?.label?.values.toSorted()).toEqual([0, 0, 0, 0, 1, 1, 1])
})

test('an image that cannot be decoded is named, not the chunk that lists it', async () => {
  await put('broken/a/1.jpg', Buffer.from('no image'))
  const chain = pipeline(images('file:broken')).decodeImage('image', { channels: 3 }).resize('image', [4, 4]).batch(1)
  const failure = await run(chain).then(
    () => undefined,
    (error: unknown) => toStokerError(error),
  )
  expect(failure?.place).toMatchObject({ shard: `file://${folder}/broken/a/1.jpg`, record: 0 })
})

test('samples of a tar become batches, with defaults for the files that one lacks', async () => {
  const source = webdataset(
    'file:dots.tar',
    { image: { from: 'jpg', default: '' }, label: { from: 'cls', dtype: 'int64', default: -1 } },
    { key: false },
  )
  const labels = await run(pipeline(source).drop(['image']).batch(3))
  expect(labels.map(({ label }) => label?.values)).toEqual([[3, 4, 5], [-1]])
  const chain = pipeline(webdataset('file:dots.tar', { image: { from: ['jpg', '1.png', 'seg.png'] } }, { key: false }))
  const [batch] = await run(chain.decodeImage('image', { channels: 3 }).resize('image', [2, 2]).batch(4))
  expect(batch?.image?.shape).toEqual([4, 2, 2, 3])
})

test('columns of a table become batches', async () => {
  const chain = pipeline(parquet('file:*.parquet', { day: { dtype: 'int32' }, box: { dtype: 'float32', shape: [2] } }))
  const batches = await run(chain.batch(16))
  expect(batches.flatMap(({ day }) => day?.values)).toEqual(Array.from({ length: 30 }, (_, row) => row - 5))
  expect(batches[1]?.box?.shape).toEqual([14, 2])
  expect(batches[1]?.box?.values.slice(0, 2)).toEqual([16, 16.5])
})

test('arrays of the spec stand beside and behind other sources', async () => {
  const own = tensors({ day: { dtype: 'int32', values: [100, 101] } })
  const days = pipeline(parquet('file:*.parquet', { day: { dtype: 'int32' } })).take(2)
  expect((await run(pipeline(concatenate(days, own)).batch(9)))[0]?.day?.values).toEqual([-5, -4, 100, 101])
  const beside = tensors({ weight: { dtype: 'float32', values: [0.5, 1] } })
  const [batch] = await run(pipeline(zip(days, beside)).batch(9))
  expect(batch).toEqual({ day: { shape: [2], values: [-5, -4] }, weight: { shape: [2], values: [0.5, 1] } })
})
