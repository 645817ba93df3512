import { batchSha256, decodeBatch, typedView } from '@stoker/buffer'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BatchView } from '../src/views/batch-view.js'
import { expectProblem, expectShape, imageJob, rangeJob, type Stack, startStack, writeImages } from './helpers/stack.js'

describe('GET /v1/jobs/:id/batches/:epoch/:batch', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack()
    await writeImages(`${stack.dir}/good.tfrecord`, 10)
    await writeImages(`${stack.dir}/bad.tfrecord`, 10, (png, index) => (index === 6 ? png.subarray(0, 30) : png))
    await stack.startWorker()
  })
  afterAll(() => stack.stop())

  const bytesOf = async (path: string): Promise<Uint8Array> => {
    const response = await fetch(stack.api.url + path)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/octet-stream')
    return new Uint8Array(await response.arrayBuffer())
  }

  it('gives exactly the bytes that a consumer takes, and consumes nothing', async () => {
    const id = await stack.submit(imageJob('file:good.tfrecord', 4, { epochs: 2 }))
    const looked = await bytesOf(`/v1/jobs/${id}/batches/1/2`)
    expect((await stack.call('GET', `/v1/jobs/${id}`)).json.progress).toMatchObject({ epoch: 0, batch: 0 })
    const taken = await fetch(`${stack.api.url}/v1/jobs/${id}/take`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ epoch: 1, batch: 2, waitMs: 20_000 }),
    })
    expect(taken.status).toBe(200)
    expect(Buffer.from(await taken.arrayBuffer()).equals(Buffer.from(looked))).toBe(true)
    const { tensors, metadata } = decodeBatch(looked)
    expect(metadata).toMatchObject({ job: id, epoch: 1, batch: 2, records: 2 })
    const labels = tensors.find(({ name }) => name === 'label')
    expect([...typedView(labels!)]).toEqual([8, 9])
  })

  it('shows names, types, shapes, first values, hash and token as JSON', async () => {
    const id = await stack.submit(imageJob('file:good.tfrecord', 4))
    const bytes = await bytesOf(`/v1/jobs/${id}/batches/0/2`)
    const answer = await stack.call('GET', `/v1/jobs/${id}/batches/0/2?format=json`)
    expect(answer.status).toBe(200)
    expectShape(BatchView, answer.json)
    expect(answer.json).toMatchObject({
      ...{ job: id, epoch: 0, batch: 2, records: 2, sha256: batchSha256(bytes) },
      token: { job: id, epoch: 1, batch: 0 },
      tensors: [
        { name: 'image', dtype: 'uint8', shape: [2, 8, 8, 1], bytes: 128 },
        { name: 'label', dtype: 'int32', shape: [2], bytes: 8, first: [8, 9] },
      ],
    })
    expect(answer.json.tensors[0].first).toEqual(Array.from({ length: 16 }, (_, pixel) => (8 * 40 + pixel) % 256))
    expect(JSON.parse(answer.headers.get('stoker-token') ?? '')).toEqual(answer.json.token)
  })

  it('shows the images as one PNG, with the pixels they have', async () => {
    const id = await stack.submit(imageJob('file:good.tfrecord', 4))
    const response = await fetch(`${stack.api.url}/v1/jobs/${id}/batches/0/0?format=png`)
    expect(response.headers.get('content-type')).toBe('image/png')
    const { data, info } = await sharp(await response.arrayBuffer())
      .raw()
      .toBuffer({ resolveWithObject: true })
    // Two by two tiles of 8 pixels with a gap of one, enlarged eight times.
    expect([info.width, info.height]).toEqual([17 * 8, 17 * 8])
    const pixelAt = (x: number, y: number) => data[(y * 8 * info.width + x * 8) * info.channels]
    expect([pixelAt(0, 0), pixelAt(7, 0), pixelAt(9, 0), pixelAt(0, 9)]).toEqual([0, 7, 40, 80])
  })

  it('says that a batch holds no image', async () => {
    const id = await stack.submit(rangeJob(10, 2))
    const answer = await stack.call('GET', `/v1/jobs/${id}/batches/0/0?format=png`)
    expectProblem(answer, 422, 'STK_API_NO_IMAGE')
    expect(answer.json.detail).toContain('value int64[2]')
  })

  it('says that a batch does not exist, and how many do', async () => {
    const id = await stack.submit(rangeJob(10, 2, { epochs: 2 }))
    const batch = await stack.call('GET', `/v1/jobs/${id}/batches/0/5`)
    expectProblem(batch, 404, 'STK_PLAN_BATCH_OUTSIDE')
    expect(batch.json.detail).toContain('2 epochs of 5 batches')
    expectProblem(await stack.call('GET', `/v1/jobs/${id}/batches/2/0`), 404, 'STK_PLAN_BATCH_OUTSIDE')
  })

  it('names shard, record and offset of a record that cannot be read, and shows the others', async () => {
    const id = await stack.submit(imageJob('file:bad.tfrecord', 4))
    expect((await stack.call('GET', `/v1/jobs/${id}/batches/0/0?format=json`)).status).toBe(200)
    const answer = await stack.call('GET', `/v1/jobs/${id}/batches/0/1`)
    expect(answer.status, answer.text).toBe(422)
    expect(answer.json.code).toMatch(/^STK_/)
    expect(answer.json.place).toMatchObject({ record: 6, epoch: 0, batch: 1, field: 'image' })
    expect(answer.json.place.shard).toMatch(/bad\.tfrecord$/)
    expect(answer.json.place.offset).toBeGreaterThan(0)
    expect(answer.json.remedy).toMatch(/\w/)
  })
})

describe('a batch without a worker', () => {
  it('is a 504 that says so, while shards are not indexed and afterwards', async () => {
    const stack = await startStack({ STOKER_PREVIEW_TIMEOUT_MS: '400' })
    try {
      const id = await stack.submit(rangeJob(10, 2))
      const answer = await stack.call('GET', `/v1/jobs/${id}/batches/0/0`)
      expectProblem(answer, 504, 'STK_API_NO_WORKER')
      expect(answer.json.detail).toContain('no worker answered within 400 ms')
      expect(answer.json.place).toEqual({ epoch: 0, batch: 0 })
    } finally {
      await stack.stop()
    }
  })
})
