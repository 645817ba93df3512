import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { BadUri, ObjectMissing, OutsideRoots, PathBlocked, ShardChanged } from '../src/error-table.js'
import type { ObjectStore } from '../src/object-store.js'
import { createStore } from '../src/store.js'
import { failureOf, numberedBytes, text } from './backends.js'

let top: string
/** The only root; `outside` lies beside it. */
let root: string
let outside: string
let store: ObjectStore

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'stoker-file-')))
  root = join(top, 'root')
  outside = join(top, 'outside')
  await mkdir(root)
  await mkdir(outside)
  await writeFile(join(outside, 'secret'), 'secret')
  store = createStore({ fileRoots: [root] })
})
afterEach(() => rm(top, { recursive: true }))

it('reads and writes nothing outside its roots, by no path and no link', async () => {
  await symlink(join(outside, 'secret'), join(root, 'link'))
  await symlink(outside, join(root, 'folder'))
  await symlink(join(outside, 'not-yet'), join(root, 'dangling'))
  const calls = [
    () => store.readAll('file:../outside/secret'),
    () => store.readAll(`file://${outside}/secret`),
    () => store.readAll(`file://${root}/../outside/secret`),
    () => store.readAll(`file://${root}x`),
    () => store.readAll('file:link'),
    () => store.stat('file:folder/secret'),
    () => store.read('file:folder/secret', { offset: 0, length: 1 }),
    () => store.list('file:folder/secret'),
    () => store.list('file:folder/*'),
    () => store.list('file:../*/*'),
    () => store.list('file:///**'),
    () => store.walk(`file://${outside}`),
    () => store.write('file:folder/new', text('x')),
    () => store.write('file:folder/new/deeper', text('x')),
    () => store.write(`file://${outside}/new`, text('x')),
    () => store.remove('file:folder/secret'),
    () => store.remove(`file://${outside}/secret`),
  ]
  for (const call of calls) {
    const failure = await failureOf(call)
    if (!OutsideRoots.is(failure)) throw new Error(`${call}`, { cause: failure })
    expect(failure.message).toContain(root)
    expect(failure.remedy).toContain('STOKER_FILE_ROOTS')
  }
  expect(await readdir(outside)).toEqual(['secret'])
})

it('leaves out of a pattern what links lead to outside, and says so where nothing else matches', async () => {
  await symlink(join(outside, 'secret'), join(root, 'link'))
  await symlink(outside, join(root, 'folder'))
  await mkdir(join(root, 'sub'))
  await writeFile(join(root, 'sub', 'own'), 'own')
  const own = [expect.objectContaining({ uri: `file://${root}/sub/own` })]
  for (const pattern of ['file:**', 'file:**/*', 'file:*/*', 'file:{folder,sub}/*'])
    expect(await store.list(pattern)).toEqual(own)
  expect(await store.walk(`file://${root}`)).toEqual(own)
  for (const pattern of ['file:*', 'file:f*/**', 'file:l??k']) {
    const failure = await failureOf(() => store.list(pattern))
    if (!OutsideRoots.is(failure)) throw failure
    expect(failure.message).toMatch(/root\/(link|folder) is outside the folders/)
  }
})

it('does not tell whether something exists outside', async () => {
  const [there, notThere] = [`file://${outside}/secret`, `file://${outside}/nothing`]
  for (const uri of [there, notThere]) expect(OutsideRoots.is(await failureOf(() => store.stat(uri)))).toBe(true)
})

it('allows nothing without roots', async () => {
  const failure = await failureOf(() => createStore({ fileRoots: [] }).readAll(`file://${outside}/secret`))
  if (!OutsideRoots.is(failure)) throw failure
  expect(failure.message).toContain('none is set')
})

it('replaces a link instead of writing through it, and removes the link only', async () => {
  await symlink(join(outside, 'secret'), join(root, 'link'))
  await store.write('file:link', text('mine'))
  expect(await store.readAll('file:link')).toEqual(text('mine'))
  await symlink(join(outside, 'secret'), join(root, 'link2'))
  await store.remove('file:link2')
  expect(await readdir(root)).toEqual(['link'])
  expect(await readdir(outside)).toEqual(['secret'])
})

it('follows links that stay inside, and a root that is a link', async () => {
  await store.write('file:data/x', text('x'))
  await symlink('data/x', join(root, 'same'))
  await symlink('data', join(root, 'also'))
  await symlink(root, join(top, 'alias'))
  const byAlias = createStore({ fileRoots: [join(top, 'alias')] })
  for (const name of ['data/x', 'same', 'also/x']) expect(await byAlias.readAll(`file:${name}`)).toEqual(text('x'))
  const found = await byAlias.list('file:a*/x')
  expect(found).toEqual([{ uri: `file://${top}/alias/also/x`, size: 1, etag: expect.any(String) }])
  expect(await byAlias.readAll(`file://${root}/data/x`)).toEqual(text('x'))
})

it('makes a root that does not exist yet', async () => {
  const later = createStore({ fileRoots: [join(root, 'a/b'), join(root, 'c')] })
  expect(await later.walk(`file://${root}/a/b`)).toEqual([])
  expect(ObjectMissing.is(await failureOf(() => later.stat('file:x')))).toBe(true)
  await later.write(`file://${root}/c/d/x`, text('x'))
  await later.write('file:y', text('y'))
  expect((await store.walk('file:.')).map(({ uri }) => uri)).toEqual([`file://${root}/a/b/y`, `file://${root}/c/d/x`])
})

it('does not follow links in ** where they form a circle', async () => {
  await store.write('file:a/b/x', text('x'))
  await symlink('..', join(root, 'a/b/up'))
  expect((await store.list('file:**')).map(({ uri }) => uri)).toEqual([`file://${root}/a/b/x`])
})

it('calls a listed link that leads nowhere an error instead of leaving data out', async () => {
  await store.write('file:shard-0', text('x'))
  await symlink('not-fetched', join(root, 'shard-1'))
  const failure = await failureOf(() => store.list('file:shard-*'))
  if (!ObjectMissing.is(failure)) throw failure
  expect(failure.message).toContain('shard-1')
})

it('does not wait for a writer when a name is a pipe', async () => {
  execFileSync('mkfifo', [join(root, 'pipe')])
  expect(ObjectMissing.is(await failureOf(() => store.readAll('file:pipe')))).toBe(true)
  expect(ObjectMissing.is(await failureOf(() => store.stat('file:pipe')))).toBe(true)
})

it('notices a file that was written into, or swapped for another of the same size', async () => {
  const { uri, etag } = await store.write('file:x', numberedBytes(1000))
  await appendFile(join(root, 'x'), 'more')
  expect(ShardChanged.is(await failureOf(() => store.read(uri, { offset: 0, length: 10 }, { etag })))).toBe(true)
  const pinned = await store.stat(uri)
  await writeFile(join(root, 'y'), numberedBytes(1004))
  await rename(join(root, 'y'), join(root, 'x'))
  expect(ShardChanged.is(await failureOf(() => store.read(uri, { offset: 0, length: 10 }, pinned)))).toBe(true)
})

it('notices a file that is written into while it streams', async () => {
  const { uri } = await store.write('file:x', numberedBytes(3 * 1024 * 1024))
  const failure = await failureOf(async () => {
    for await (const _ of store.stream(uri)) await appendFile(join(root, 'x'), 'more')
  })
  expect(ShardChanged.is(failure)).toBe(true)
})

it('keeps the old file when the writer is killed midway, and lists no half-written one', async () => {
  const { uri } = await store.write('file:x', text('old'))
  const writer = fork(join(import.meta.dirname, 'fixtures/write-forever.mjs'), [uri, root])
  await once(writer, 'message')
  writer.kill('SIGKILL')
  await once(writer, 'exit')
  expect(await store.readAll(uri)).toEqual(text('old'))
  expect(await readdir(root)).toEqual([expect.stringMatching(/^\.stoker-tmp-/), 'x'])
  expect(await store.list('file:*')).toHaveLength(1)
  expect(await store.walk('file:.')).toHaveLength(1)
})

it('refuses to store both x and x/y', async () => {
  await store.write('file:x', text('x'))
  await store.write('file:folder/y', text('y'))
  expect(PathBlocked.is(await failureOf(() => store.write('file:x/y', text('y'))))).toBe(true)
  expect(PathBlocked.is(await failureOf(() => store.write('file:folder', text('x'))))).toBe(true)
  expect((await store.walk('file:.')).map(({ size }) => size)).toEqual([1, 1])
})

it('keeps the names of its temporary files to itself', async () => {
  expect(BadUri.is(await failureOf(() => store.write('file:.stoker-tmp-mine', text('x'))))).toBe(true)
})
