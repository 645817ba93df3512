import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { pullBatches } from '@stoker/cli'
import { encodeExample, writeTfrecord } from '@stoker/formats'
import { fixedLen, type Job, pipeline, tfrecord } from '@stoker/spec'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startTestStack, type TestStack } from '../support/stack.js'

// Whole stacks on a busy machine: the limits tell a hang from slowness.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

const PHOTO = fileURLToPath(new URL('../fixtures/photos/cat/cat-0.jpg', import.meta.url))
/** Of the record frame: length and its checksum before the payload. */
const HEADER_BYTES = 12
const FRAME_BYTES = 16

let dataDir: string
let stack: TestStack
let jpeg: Uint8Array
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'stoker-malformed-'))
  jpeg = await readFile(PHOTO)
  stack = await startTestStack({ dataDir })
})
afterAll(async () => {
  await stack?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

const example = (image: Uint8Array, label = 1) =>
  encodeExample({ image: { bytes: [image] }, label: { int64: [label] } })

interface Case {
  readonly what: string
  readonly shard: () => Uint8Array
  readonly compression?: 'GZIP'
  readonly error: () => object
}

const good = () => [example(jpeg), example(jpeg), example(jpeg)]
const bytesBefore = (records: readonly Uint8Array[]) =>
  records.reduce((sum, record) => sum + FRAME_BYTES + record.length, 0)
const told = (message: RegExp, place: object) => ({
  message: expect.stringMatching(message),
  place: expect.objectContaining(place),
})

const CASES: readonly Case[] = [
  {
    what: 'a flipped bit in a payload',
    shard: () => {
      const bytes = writeTfrecord(good())
      const at = bytesBefore(good().slice(0, 2)) + HEADER_BYTES + 1000
      bytes[at] = (bytes[at] ?? 0) ^ 4
      return bytes
    },
    error: () => ({
      code: 'STK_TFRECORD_DATA_CRC',
      ...told(/checksum/, { record: 2, offset: bytesBefore(good().slice(0, 2)) }),
    }),
  },
  {
    what: 'a shard cut off in the middle of a record',
    shard: () => writeTfrecord(good()).subarray(0, -100),
    error: () => ({ code: 'STK_TFRECORD_TRUNCATED', ...told(/ends after/, { record: 2 }) }),
  },
  {
    what: 'a file that holds no TFRecord',
    shard: () => Buffer.from('<!doctype html><title>404 Not Found</title>'.repeat(20)),
    error: () => ({ code: expect.stringMatching(/^STK_TFRECORD_/), ...told(/./, { record: 0, offset: 0 }) }),
  },
  {
    what: 'a damaged GZIP stream',
    compression: 'GZIP',
    shard: () => gzipSync(writeTfrecord(good())).subarray(0, 5_000),
    error: () => ({ code: expect.stringMatching(/^STK_(INFLATE|TFRECORD)_/), ...told(/./, {}) }),
  },
  {
    what: 'bytes that are no image',
    shard: () => writeTfrecord([example(jpeg), example(Buffer.from('not an image'))]),
    error: () => ({
      code: 'STK_IMAGE_UNKNOWN',
      ...told(/no JPEG/, { record: 1, offset: bytesBefore(good().slice(0, 1)), op: 'decodeJpeg', field: 'image' }),
    }),
  },
  {
    what: 'a JPEG whose header is damaged',
    shard: () => writeTfrecord([example(jpeg.subarray(0, 40))]),
    error: () => ({ code: expect.stringMatching(/^STK_IMAGE_/), ...told(/./, { record: 0, offset: 0 }) }),
  },
  {
    what: 'a record without the feature that is asked for',
    shard: () => writeTfrecord([example(jpeg), encodeExample({ image: { bytes: [jpeg] } })]),
    error: () => ({ code: 'STK_EXAMPLE_MISSING', ...told(/"label"/, { record: 1 }) }),
  },
  {
    what: 'a record that is no tf.train.Example',
    shard: () => writeTfrecord([Buffer.from('\xff\xff\xff\xff plain text', 'latin1')]),
    error: () => ({ code: 'STK_EXAMPLE_MALFORMED', ...told(/not a tf.train.Example/, { record: 0 }) }),
  },
]

async function submitCase(at: number, { shard, compression }: Case): Promise<{ id: string; uri: string }> {
  const folder = join(dataDir, `case-${at}`)
  await mkdir(folder, { recursive: true })
  const file = join(folder, 'data.tfrecord')
  await writeFile(file, shard())
  const uri = `file://${file}`
  const job: Job = {
    pipeline: pipeline(tfrecord(uri, compression ? { compression } : {}))
      .parseExample({ image: fixedLen('string'), label: fixedLen('int64') })
      .decodeJpeg('image', { channels: 3 })
      .resize('image', [32, 32])
      .batch(2)
      .prefetch()
      .toJSON(),
  }
  return { id: (await stack.client.submit(job)).id, uri }
}

describe('a job over data with', () => {
  it.each(CASES.map((one, at) => ({ ...one, at })))('$what fails, by name', async ({ at, ...one }) => {
    const { id, uri } = await submitCase(at, one)
    const pulling = (async () => {
      for await (const _ of pullBatches(stack.client, id));
    })()
    // Whoever waits for a batch hears the same reason; nothing hangs.
    await expect(pulling).rejects.toMatchObject(one.error())
    const view = await stack.client.job(id)
    expect(view).toMatchObject({ state: 'failed', error: { ...one.error(), remedy: expect.any(String) } })
    expect(view.error?.place).toMatchObject({ shard: uri })
    expect(JSON.stringify(view)).not.toMatch(/\.(js|ts):\d+|node_modules/)
  })
})

it('keeps the workers at work for the next job', async () => {
  const { id } = await submitCase(CASES.length, {
    what: 'nothing wrong',
    shard: () => writeTfrecord(good()),
    error: () => ({}),
  })
  let records = 0
  for await (const pulled of pullBatches(stack.client, id)) records += pulled.records
  expect(records).toBe(3)
  expect((await stack.client.job(id)).state).toBe('succeeded')
  expect(stack.told).toEqual([])
})

const outside = { source: { type: 'tfrecord', files: 'file:///etc/passwd' }, stages: [{ op: 'batch', size: 1 }] }

it.each([
  ['a body that is no JSON', '{"pipeline": '],
  ['a body that is no job', '[]'],
  ['a file outside the roots', JSON.stringify({ pipeline: outside })],
])('answers %s with a problem that says what to change', async (_, body) => {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${stack.api}/v1/jobs`, { method: 'POST', headers, body })
  const text = await response.text()
  expect(response.headers.get('content-type')).toContain('application/problem+json')
  expect(response.status).toBeGreaterThanOrEqual(400)
  expect(response.status).toBeLessThan(500)
  expect(JSON.parse(text)).toMatchObject({ code: expect.stringMatching(/^STK_/), detail: expect.any(String) })
  expect(text).not.toMatch(/\.(js|ts):\d+|node_modules/)
})
