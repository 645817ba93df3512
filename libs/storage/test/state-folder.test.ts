import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createStore, OutsideRoots, STATE_FOLDER } from '../src/index.js'
import { failureOf, text } from './backends.js'

let root: string
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), 'stoker-roots-')))
  for (const folder of ['store', 'redis']) await mkdir(join(root, 'a', STATE_FOLDER, folder), { recursive: true })
  await writeFile(join(root, 'a', 'data.txt'), 'x')
  await writeFile(join(root, 'a', STATE_FOLDER, 'redis', 'dump.txt'), 'secret')
  await writeFile(join(root, 'a', STATE_FOLDER, 'store', 'index.txt'), 'x')
})
afterAll(() => rm(root, { recursive: true }))

const names = (found: readonly { uri: string }[]) => found.map(({ uri }) => uri.slice(`file://${root}`.length))

it('lists no state folder with the data around it, and reads nothing in it', async () => {
  const store = createStore({ fileRoots: [root] })
  expect(names(await store.list('file:**'))).toEqual(['/a/data.txt'])
  expect(names(await store.list('file:a/**/*.txt'))).toEqual(['/a/data.txt'])
  expect(names(await store.walk(`file://${root}`))).toEqual(['/a/data.txt'])
  for (const uri of ['file:a/.stoker/redis/dump.txt', `file://${root}/a/.stoker/redis/dump.txt`]) {
    expect(OutsideRoots.is(await failureOf(() => store.readAll(uri)))).toBe(true)
    expect(OutsideRoots.is(await failureOf(() => store.list(uri)))).toBe(true)
    expect(OutsideRoots.is(await failureOf(() => store.write(uri, text('x'))))).toBe(true)
  }
})

it('takes a root within a state folder, the store of a stack, as a root like any other', async () => {
  const home = join(root, 'a', STATE_FOLDER, 'store')
  const store = createStore({ fileRoots: [root, home] })
  expect(names(await store.list(`file://${home}/*.txt`))).toEqual(['/a/.stoker/store/index.txt'])
  await store.write(`file://${home}/models/one`, text('x'))
  expect((await store.readAll(`file://${home}/models/one`)).length).toBe(1)
  expect(names(await store.list('file:**'))).toEqual(['/a/data.txt'])
})
