import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync, gzipSync } from 'node:zlib'
import { encodeExample, writeTfrecord } from '@stoker/formats'
import { createStore, type ObjectStore } from '@stoker/storage'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { kindByBytes, kindByName } from '../../src/inspect/file-kind.js'
import { guessSource } from '../../src/inspect/index.js'

let dir: string
let store: ObjectStore
const shard = writeTfrecord([encodeExample({ id: { int64: [1] } })])
beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'stoker-guess-')))
  store = createStore({ fileRoots: [dir] })
  await mkdir(join(dir, 'shards'))
  const files: Record<string, string | Uint8Array> = {
    ...{ 'shards/a.bin': shard, 'named.tfrecord': 'no record at all', 'packed.csv': gzipSync(shard) },
    ...{ 'table.csv': 'id,"a ""b""",c\n1,2,3\n', 'plain.csv': '1,2\n3,4\n', 'table.tsv': 'id\tname\n1\tx\n' },
    ...{ 'lines.jsonl': '{"id": 1}\n', 'words.dat': 'just words\n', 'noise.dat': Uint8Array.of(0, 1, 2, 0xff) },
  }
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content)
})
afterAll(async () => {
  await store.close()
  await rm(dir, { recursive: true })
})
const guess = (name: string, options: Partial<Parameters<typeof guessSource>[1]> = {}) =>
  guessSource(`file://${dir}/${name}`, { store, ...options })
const files = (name: string) => `file://${dir}/${name}`

it.each([
  ['shards/a.bin', { type: 'tfrecord' }],
  ['packed.csv', { type: 'tfrecord' }],
  ['named.tfrecord', { type: 'tfrecord' }],
  ['words.dat', { type: 'textLines' }],
  ['lines.jsonl', { type: 'textLines' }],
])('takes %s for what its bytes say, then its name', async (name, source) => {
  expect(await guess(name)).toEqual({ ...source, files: files(name) })
})

it('reads the columns of a table from its first row, as texts; a row of numbers is no header', async () => {
  const text = { dtype: 'string', default: '' }
  const columns = (...names: string[]) => names.map((name) => ({ name, ...text }))
  expect(await guess('table.csv')).toMatchObject({ type: 'csv', header: true, columns: columns('id', 'a "b"', 'c') })
  expect(await guess('plain.csv')).toMatchObject({ header: false, columns: columns('column0', 'column1') })
  expect(await guess('table.tsv')).toMatchObject({ fieldDelim: '\t', columns: columns('id', 'name') })
})

it('takes a folder for all files below it', async () => {
  const folder = { type: 'tfrecord', files: files('shards/**') }
  expect(await guess('shards')).toEqual(folder)
  expect(await guess('shards/')).toEqual(folder)
})

it('keeps the parameters of a source that reads files like these, unless another type is asked for', async () => {
  const like = { type: 'csv', files: 'file:other', columns: [{ name: 'x', dtype: 'int64' }], header: false }
  expect(await guess('table.csv', { like })).toEqual({ ...like, files: files('table.csv') })
  expect(await guess('table.csv', { like, type: 'textLines' })).toEqual({
    type: 'textLines',
    files: files('table.csv'),
  })
})

it('asks for all that a tar, a Parquet file or a folder of images holds', async () => {
  const fixtures = new URL('../../../../test/fixtures/', import.meta.url)
  const copies = { 'dots.tar': 'cases/files/wds/dots_in_names.tar', 'table.parquet': 'golden/parquet/snappy.parquet' }
  for (const [name, path] of Object.entries(copies))
    await writeFile(join(dir, name), await readFile(new URL(path, fixtures)))
  expect(await guess('dots.tar')).toEqual({ type: 'webdataset', files: files('dots.tar'), fields: 'all' })
  expect(await guess('table.parquet')).toEqual({ type: 'parquet', files: files('table.parquet'), columns: 'all' })

  const pixel = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  for (const name of ['photos/cat/1.png', 'photos/dog/2.png', 'flat/1.png']) {
    await mkdir(join(dir, name, '..'), { recursive: true })
    await writeFile(join(dir, name), pixel)
  }
  const folder = (name: string) => ({ type: 'images', folder: files(name), path: true })
  expect(await guess('photos')).toEqual(folder('photos'))
  expect(await guess('photos/')).toEqual(folder('photos'))
  expect(await guess('flat')).toEqual({ ...folder('flat'), labels: 'none' })
  const like = { type: 'images', folder: 'file:other', classNames: ['dog', 'cat'] }
  expect(await guess('photos', { like })).toEqual({ ...like, folder: files('photos') })
  await expect(guess('flat/1.png')).rejects.toMatchObject({ remedy: 'name the folder that they lie in' })
})

it('says so when it cannot tell, and which kinds there are', async () => {
  await expect(guess('noise.dat')).rejects.toMatchObject({ code: 'STK_INSPECT_SOURCE' })
  await expect(guess('table.csv', { type: 'cvs' })).rejects.toMatchObject({
    ...{ code: 'STK_INSPECT_SOURCE', remedy: expect.stringMatching(/^did you mean "csv"\?/) },
  })
  await expect(guess('none-*')).rejects.toMatchObject({ code: 'STK_STORAGE_NO_MATCH' })
})

it.each([
  ['train.tfrecord-00000-of-00010', 'tfrecord'],
  ['x/train.TFRecord.gz', 'tfrecord'],
  ['a.tar', 'webdataset'],
  ['a.parquet', 'parquet'],
  ['photo.JPEG', 'images'],
  ['a.csv.zst', 'csv'],
  ['tfrecord/readme', undefined],
])('knows %s by its name', (name, kind) => {
  expect(kindByName(name)).toBe(kind)
})

it.each([
  ['a tar', Buffer.concat([Buffer.alloc(257), Buffer.from('ustar\0'), Buffer.alloc(249)]), 'webdataset'],
  ['a Parquet file', Buffer.from('PAR1....'), 'parquet'],
  ['a JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0]), 'images'],
  ['a WebP', Buffer.from('RIFF\0\0\0\0WEBP'), 'images'],
  ['a BMP', Buffer.from('BM\x10\x00\0\0\0\0\0\0'), 'images'],
  ['text that begins like a BMP', Buffer.from('BMW, 320i'), undefined],
  ['a zlib shard', deflateSync(shard), 'tfrecord'],
  ['a shard that was cut', gzipSync(shard).subarray(0, -9), 'tfrecord'],
])('knows %s by its bytes', (_, bytes, kind) => {
  expect(kindByBytes(bytes)).toBe(kind)
})
