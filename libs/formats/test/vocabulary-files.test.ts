import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStore, type ObjectStore } from '@stoker/storage'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { withVocabularies } from '../src/index.js'

let folder: string
let store: ObjectStore
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoker-words-'))
  store = createStore({ fileRoots: [folder] })
  await writeFile(join(folder, 'words.txt'), '\ufeffthe\r\nfox\n\nGröße\n')
  await writeFile(join(folder, 'latin.txt'), Buffer.from([0x61, 0xff]))
  await writeFile(join(folder, 'empty.txt'), '')
})
afterAll(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

const uri = (name: string) => `file://${join(folder, name)}`
const lookup = (file: string) => ({ op: 'lookup', field: 't', vocabularyFile: uri(file) })
const job = (file: string) => ({
  pipeline: { source: { type: 'tfrecord' }, stages: [{ op: 'strip', field: 't' }, lookup(file)] },
})

it('puts the words of a file in, wherever in a document the op stands, and leaves all else as it is', async () => {
  const words = ['the', 'fox', '', 'Größe']
  expect(await withVocabularies(job('words.txt'), store)).toEqual({
    pipeline: {
      source: { type: 'tfrecord' },
      stages: [
        { op: 'strip', field: 't' },
        { ...lookup('words.txt'), vocabulary: words },
      ],
    },
  })
  const other = {
    epochs: 2,
    list: [1, null, 'x'],
    pipeline: { stages: [{ op: 'lookup', field: 't', hashBuckets: 3 }] },
  }
  expect(await withVocabularies(other, store)).toEqual(other)
})

it.each([
  ['latin.txt', 'is no UTF-8 text'],
  ['empty.txt', 'is empty'],
])('refuses %s and says where it is named', async (file, text) => {
  await expect(withVocabularies(job(file), store)).rejects.toMatchObject({
    code: 'STK_VOCABULARY',
    message: expect.stringContaining(text),
    place: { path: 'pipeline.stages[1].vocabularyFile' },
  })
})

it('says that a file is missing', async () => {
  await expect(withVocabularies(job('gone.txt'), store)).rejects.toMatchObject({ code: 'STK_STORAGE_MISSING' })
})
