import { decodeBatch, typedView } from '@stoker/buffer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectProblem, imageJob, rangeJob, type Stack, startStack, writeImages } from './helpers/stack.js'

describe('POST /v1/jobs/:id/take', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack()
    await writeImages(`${stack.dir}/a.tfrecord`, 4)
    await stack.startWorker()
  })
  afterAll(() => stack.stop())

  interface Place {
    readonly epoch: number
    readonly batch: number
  }
  const take = async (id: string, { epoch, batch }: Place) => {
    const response = await fetch(`${stack.api.url}/v1/jobs/${id}/take`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ epoch, batch, waitMs: 20_000 }),
    })
    expect(response.status).toBe(200)
    const token = response.headers.get('stoker-token')
    if (token === null) return { done: (await response.json()) as unknown }
    const { tensors, metadata } = decodeBatch(new Uint8Array(await response.arrayBuffer()))
    const values = Array.from(typedView(tensors[0]!), Number)
    return { next: JSON.parse(token) as Place, at: `${metadata.epoch}:${metadata.batch}`, values }
  }

  it('gives batch after batch, epoch after epoch, by the token of the one before; then the job has succeeded', async () => {
    const id = await stack.submit(rangeJob(10, 4, { epochs: 2 }))
    const seen: unknown[] = []
    let place: Place = { epoch: 0, batch: 0 }
    for (;;) {
      const taken = await take(id, place)
      if (!taken.next) {
        expect(taken.done).toEqual({ done: true })
        break
      }
      seen.push([taken.at, taken.values])
      place = taken.next
    }
    const epoch = (n: number) => [
      [`${n}:0`, [0, 1, 2, 3]],
      [`${n}:1`, [4, 5, 6, 7]],
      [`${n}:2`, [8, 9]],
    ]
    expect(seen).toEqual([...epoch(0), ...epoch(1)])
    const events = await stack.call('GET', `/v1/jobs/${id}/events`)
    expect(events.text).toContain('"state":"succeeded"')
    const { json } = await stack.call('GET', `/v1/jobs/${id}`)
    expect(json).toMatchObject({ state: 'succeeded', progress: { batchesDone: 6, batchesTotal: 6 } })
    expect(await take(id, place)).toEqual({ done: { done: true } })
  })

  it('takes a batch past the end of an epoch for the first of the next', async () => {
    const id = await stack.submit(rangeJob(10, 5, { epochs: 2 }))
    const taken = await take(id, { epoch: 0, batch: 2 })
    expect(taken).toMatchObject({ at: '1:0', next: { epoch: 1, batch: 1 } })
  })

  it('rewinds: a batch taken again is the same', async () => {
    const id = await stack.submit(rangeJob(100, 4))
    const first = await take(id, { epoch: 0, batch: 0 })
    await take(id, { epoch: 0, batch: 20 })
    expect(await take(id, { epoch: 0, batch: 0 })).toEqual(first)
    const moved = await stack.call('POST', `/v1/jobs/${id}/cursor`, { epoch: 0, batch: 7 })
    expect([moved.status, moved.json]).toEqual([200, { epoch: 0, batch: 7 }])
    expect((await stack.call('GET', `/v1/jobs/${id}`)).json.progress).toMatchObject({ epoch: 0, batch: 7 })
  })

  it('answers 204 when the batch is not ready in time', async () => {
    const id = await stack.submit(rangeJob(100, 4))
    await stack.call('POST', `/v1/jobs/${id}/pause`)
    const body = { epoch: 0, batch: 24, waitMs: 50 }
    expect((await stack.call('POST', `/v1/jobs/${id}/take`, body)).status).toBe(204)
  })

  it('refuses to take what goes to a trainer', async () => {
    const validation = { pipeline: imageJob('file:a.tfrecord', 2).pipeline }
    const train = { model: { kind: 'savedModel', uri: 'file:m' }, validation }
    const id = await stack.submit(imageJob('file:a.tfrecord', 2, { train }))
    const body = { epoch: 0, batch: 0 }
    expectProblem(await stack.call('POST', `/v1/jobs/${id}/take`, body), 409, 'STK_API_HAS_TRAINER')
    expectProblem(await stack.call('POST', `/v1/jobs/${id}/cursor`, body), 409, 'STK_API_HAS_TRAINER')
    expectProblem(await stack.call('POST', `/v1/jobs/${id}.val/take`, body), 409, 'STK_API_CHILD')
  })

  it('ends for a waiting consumer when the job is cancelled, and names why', async () => {
    const id = await stack.submit(rangeJob(100, 4))
    await stack.call('POST', `/v1/jobs/${id}/pause`)
    const waiting = stack.call('POST', `/v1/jobs/${id}/take`, { epoch: 0, batch: 24, waitMs: 30_000 })
    const started = performance.now()
    await stack.call('POST', `/v1/jobs/${id}/cancel`)
    expectProblem(await waiting, 410, 'STK_API_JOB_ENDED')
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('fails with the error of the job: code, shard, record and offset', async () => {
    await writeImages(`${stack.dir}/bad.tfrecord`, 4, (png, index) => (index === 3 ? png.subarray(0, 20) : png))
    const id = await stack.submit(imageJob('file:bad.tfrecord', 2))
    const answer = await stack.call('POST', `/v1/jobs/${id}/take`, { epoch: 0, batch: 1, waitMs: 20_000 })
    expectProblemWithPlace(answer)
    const { json } = await stack.call('GET', `/v1/jobs/${id}`)
    expect(json).toMatchObject({ state: 'failed', error: { place: { record: 3, field: 'image' } } })
  })

  const expectProblemWithPlace = (answer: Awaited<ReturnType<Stack['call']>>) => {
    expect(answer.status, answer.text).toBe(410)
    expect(answer.json).toMatchObject({ code: 'STK_API_JOB_ENDED', place: { record: 3 } })
    expect(answer.json.place.shard).toMatch(/bad\.tfrecord$/)
  }

  it('checks its body', async () => {
    const id = await stack.submit(rangeJob(100, 4))
    const answer = await stack.call('POST', `/v1/jobs/${id}/take`, { epoch: '0', batch: 0 })
    expectProblem(answer, 400, 'STK_SPEC_INVALID')
    expect(answer.json.place).toEqual({ path: 'body.epoch' })
    expectProblem(await stack.call('POST', `/v1/jobs/${id}/take`), 400, 'STK_SPEC_INVALID')
  })
})
