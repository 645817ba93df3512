import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createStore, fileUri, joinUri, type ObjectStore } from '@stoker/storage'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  latestCheckpoint,
  listCheckpoints,
  type NewCheckpoint,
  pruneCheckpoints,
  readCheckpoint,
  writeCheckpoint,
} from '../src/index.js'

let dir: string
let store: ObjectStore
let prefix: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stoker-test-'))
  store = createStore({ fileRoots: [dir] })
  prefix = fileUri(join(dir, 'jobs', 'a', 'checkpoints'))
})
afterEach(async () => {
  await store.close()
  await rm(dir, { recursive: true })
})

const at = (step: number, more: Partial<NewCheckpoint> = {}): NewCheckpoint => ({
  files: new Map([
    ['weights.bin', Uint8Array.of(step, 2, 3)],
    ['deep/state.json', Buffer.from(`{"step":${step}}`)],
    ['empty', new Uint8Array()],
  ]),
  step,
  epoch: 1,
  cursor: { epoch: 1, batch: step },
  seed: 4,
  specHash: 'abc',
  ...more,
})

/** A store whose writer dies before its nth write. */
const dyingAt = (nth: number): ObjectStore => {
  let writes = 0
  return Object.assign(Object.create(store) as ObjectStore, {
    write: (...values: Parameters<ObjectStore['write']>) => {
      if (++writes >= nth) throw new Error('killed')
      return store.write(...values)
    },
  })
}

it('gives back what was written', async () => {
  const uri = await writeCheckpoint(store, prefix, at(500))
  const found = await latestCheckpoint(store, prefix)
  expect(found?.uri).toBe(uri)
  expect(uri).toMatch(/\/checkpoints\/step-000000000500-[0-9a-f]{8}$/)
  expect(found?.manifest).toMatchObject({
    step: 500,
    epoch: 1,
    cursor: { epoch: 1, batch: 500 },
    seed: 4,
    specHash: 'abc',
  })
  expect([...found!.files].map(([name, bytes]) => [name, [...bytes]]).sort()).toEqual([
    ['deep/state.json', [...Buffer.from('{"step":500}')]],
    ['empty', []],
    ['weights.bin', [244, 2, 3]],
  ])
})

it('finds none where none is', async () => {
  expect(await latestCheckpoint(store, prefix)).toBeUndefined()
})

it('takes the one with the most steps, not the one written last', async () => {
  for (const step of [500, 20, 1000, 999]) await writeCheckpoint(store, prefix, at(step))
  expect((await latestCheckpoint(store, prefix))?.manifest.step).toBe(1000)
})

it.each([1, 2, 3, 4])('never shows one whose writer died before write %i', async (nth) => {
  await writeCheckpoint(store, prefix, at(10))
  await expect(writeCheckpoint(dyingAt(nth), prefix, at(20))).rejects.toThrow('killed')
  expect((await latestCheckpoint(store, prefix))?.manifest.step).toBe(10)
  // Whatever was left goes with the next one that is complete.
  await writeCheckpoint(store, prefix, at(30, { keep: 1 }))
  expect(await listCheckpoints(store, prefix)).toHaveLength(1)
  expect((await store.walk(prefix)).every(({ uri }) => uri.includes('step-000000000030-'))).toBe(true)
})

it('keeps the newest K and leaves one under way alone', async () => {
  for (const step of [1, 2, 3, 4]) await writeCheckpoint(store, prefix, at(step))
  await expect(writeCheckpoint(dyingAt(2), prefix, at(5))).rejects.toThrow('killed')
  await pruneCheckpoints(store, prefix, 2)
  const steps = new Set((await store.walk(prefix)).map(({ uri }) => Number(/step-(\d+)/.exec(uri)?.[1])))
  expect(steps).toEqual(new Set([3, 4, 5]))
  expect((await latestCheckpoint(store, prefix))?.manifest.step).toBe(4)
})

it('repeats a step without touching the checkpoint that is there', async () => {
  const first = await writeCheckpoint(store, prefix, at(7))
  const second = await writeCheckpoint(store, prefix, at(7, { files: new Map([['weights.bin', Uint8Array.of(9)]]) }))
  expect(second).not.toBe(first)
  expect((await readCheckpoint(store, first)).files.get('weights.bin')).toEqual(Uint8Array.of(7, 2, 3))
})

describe('refuses a damaged one', () => {
  const damage: [string, RegExp, (uri: string) => Promise<unknown>][] = [
    [
      'a flipped bit',
      /weights.bin has another SHA-256/,
      (uri) => store.write(joinUri(uri, 'weights.bin'), Uint8Array.of(6, 2, 2)),
    ],
    [
      'lost bytes',
      /weights.bin has 2 bytes instead of 3/,
      (uri) => store.write(joinUri(uri, 'weights.bin'), Uint8Array.of(6, 2)),
    ],
    ['a lost file', /deep\/state.json is missing/, (uri) => store.remove(joinUri(uri, 'deep', 'state.json'))],
    [
      'a manifest that is no JSON',
      /its manifest is no JSON/,
      (uri) => store.write(joinUri(uri, 'manifest.json'), Buffer.from('{')),
    ],
    [
      'a manifest without fields',
      /its manifest is wrong at/,
      (uri) => store.write(joinUri(uri, 'manifest.json'), Buffer.from('{}')),
    ],
    [
      'a later version',
      /it has version 2/,
      (uri) => store.write(joinUri(uri, 'manifest.json'), Buffer.from('{"version":2}')),
    ],
    [
      'a name that leaves the folder',
      /its manifest is wrong at \/files\/0\/name/,
      async (uri) => {
        const manifest = JSON.parse(Buffer.from(await store.readAll(joinUri(uri, 'manifest.json'))).toString())
        manifest.files[0].name = '../../secret'
        await store.write(joinUri(uri, 'manifest.json'), Buffer.from(JSON.stringify(manifest)))
      },
    ],
  ]
  it.each(damage)('with %s', async (_what, message, harm) => {
    const uri = await writeCheckpoint(store, prefix, at(6))
    await harm(uri)
    await expect(latestCheckpoint(store, prefix)).rejects.toMatchObject({
      code: 'STK_CHECKPOINT_CORRUPT',
      message: expect.stringMatching(message),
      remedy: expect.stringContaining('remove that checkpoint folder'),
    })
  })
})
