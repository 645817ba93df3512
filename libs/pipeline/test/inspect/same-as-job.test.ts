import { createHash } from 'node:crypto'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeBatch } from '@stoker/buffer'
import { encodeExample, type FormatContext, writeTfrecord } from '@stoker/formats'
import { createStore } from '@stoker/storage'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { lookInside } from '../../src/inspect/index.js'
import { batchesOf, planOf } from '../support.js'

const [WIDTH, HEIGHT] = [6, 5]
let dir: string
let context: FormatContext
beforeAll(async () => {
  dir = await realpath(await mkdtemp(join(tmpdir(), 'stoker-same-')))
  context = { store: createStore({ fileRoots: [dir] }), scratch: `file://${dir}/scratch` }
  for (const name of ['a', 'b', 'c']) {
    const records: Uint8Array[] = []
    for (let id = 0; id < 7; id++) {
      const pixels = Uint8Array.from(
        { length: WIDTH * HEIGHT * 3 },
        (_, at) => (at * 7 + id * 31 + name.charCodeAt(0)) % 256,
      )
      const image = await sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
        .png()
        .toBuffer()
      records.push(encodeExample({ image: { bytes: [image] }, id: { int64: [id] } }))
    }
    await writeFile(join(dir, `${name}.tfrecord`), writeTfrecord(records))
  }
})
afterAll(async () => {
  await context.store.close()
  await rm(dir, { recursive: true })
})

const features = { image: { kind: 'fixedLen', dtype: 'string' }, id: { kind: 'fixedLen', dtype: 'int64' } }
const images = (files: string, ...stages: object[]) => ({
  source: { type: 'tfrecord', files },
  stages: [{ op: 'parseExample', features }, { op: 'decodePng', field: 'image', channels: 3 }, ...stages],
})
const flip = { op: 'randomFlipLeftRight', field: 'image' }
const turn = { op: 'randomRotation90', field: 'image' }
const crop = { op: 'randomCrop', field: 'image', size: [4, 4] }
const even = { op: 'filter', field: 'id', in: [0, 2, 4, 6] }

it.each([
  ['random ops', images('file:[ab].tfrecord', flip, crop, turn)],
  ['a filter before them', images('file:[ab].tfrecord', even, crop, flip)],
  [
    'inputs with random ops of their own',
    {
      source: { type: 'concatenate', inputs: [images('file:[ab].tfrecord', crop), images('file:c.tfrecord', crop)] },
      stages: [flip, turn],
    },
  ],
  [
    'inputs side by side',
    {
      source: {
        type: 'zip',
        inputs: [
          images('file:[ab].tfrecord', crop),
          images('file:[bc].tfrecord', crop, { op: 'rename', names: { image: 'other', id: 'otherId' } }),
        ],
      },
      stages: [flip],
    },
  ],
])('shows for %s the very values that the first epoch of the job has', async (_, chain) => {
  const seed = 11
  const job = { pipeline: { ...chain, stages: [...chain.stages, { op: 'batch', size: 1 }] }, seed }
  const batches = await batchesOf(await planOf(job, context), context)
  const wanted = batches.map((bytes) => {
    const tensors = decodeBatch(bytes).tensors.map(({ name, data }) => [
      name,
      createHash('sha256').update(data).digest('hex'),
    ])
    return Object.fromEntries(tensors)
  })
  const shown: unknown[] = []
  for await (const { look } of lookInside({ document: job, context })) {
    expect(look.error).toBeUndefined()
    const last = look.stages?.at(-1)
    if (!last?.dropped)
      shown.push(Object.fromEntries(Object.entries(last?.fields ?? {}).map(([name, { sha256 }]) => [name, sha256])))
  }
  expect(shown.length).toBeGreaterThan(6)
  expect(shown).toEqual(wanted)
})
