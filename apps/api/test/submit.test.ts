import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JobList, JobWithSpec, Submitted } from '../src/schemas.js'
import { expectProblem, expectShape, imageJob, rangeJob, type Stack, startStack, writeImages } from './helpers/stack.js'

describe('POST /v1/jobs', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack({}, { maxmemoryBytes: 64 * 2 ** 20 })
    await writeImages(`${stack.dir}/a.tfrecord`, 5)
  })
  afterAll(() => stack.stop())

  const small = { bufferBytes: '1MiB' }

  it('answers with id, links that lead somewhere, and findings', async () => {
    const job = rangeJob(100, 7, { ...small, name: 'hundred' })
    const answer = await stack.call('POST', '/v1/jobs', {
      ...job,
      pipeline: { ...job.pipeline, stages: job.pipeline.stages.slice(0, 1) },
    })
    expect(answer.status).toBe(201)
    expectShape(Submitted, answer.json)
    expect(answer.json.id).toMatch(/^[a-z0-9]{26}$/)
    expect(answer.headers.get('location')).toBe(answer.json.links.self)
    expect(answer.json.findings).toMatchObject([{ code: 'STK_LINT_NO_PREFETCH', level: 'warning' }])
    const job1 = await stack.call('GET', answer.json.links.self)
    expectShape(JobWithSpec, job1.json)
    expect(job1.json).toMatchObject({ name: 'hundred', kind: 'feed', spec: { seed: 0, deterministic: true } })
    expect((await stack.call('POST', answer.json.links.cancel)).status).toBe(200)
  })

  it('gives the same job for the same idempotency key and spec, and refuses the key with another spec', async () => {
    const job = rangeJob(10, 2, small)
    const key = { 'idempotency-key': 'once' }
    const first = await stack.call('POST', '/v1/jobs', job, key)
    const again = await stack.call('POST', '/v1/jobs', { ...job, name: 'renamed' }, key)
    expect([first.status, again.status]).toEqual([201, 200])
    expect(again.json.id).toBe(first.json.id)
    expectProblem(await stack.call('POST', '/v1/jobs', { ...job, seed: 1 }, key), 409, 'STK_JOB_IDEMPOTENCY')
  })

  it('makes one job of many requests at once with one idempotency key', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        stack.call('POST', '/v1/jobs', rangeJob(11, 2, small), { 'idempotency-key': 'race' }),
      ),
    )
    expect(new Set(answers.map(({ json }) => json.id)).size).toBe(1)
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
  })

  it('names the path of a mistake, and neither coerces nor strips', async () => {
    const job = rangeJob(100, 7)
    const text = await stack.call('POST', '/v1/jobs', { ...job, seed: '5' })
    expectProblem(text, 400, 'STK_SPEC_INVALID')
    expect(text.json.place).toEqual({ path: 'seed' })
    const extra = await stack.call('POST', '/v1/jobs', { ...job, seeds: 5 })
    expectProblem(extra, 400, 'STK_SPEC_INVALID')
    expect(extra.json.place).toEqual({ path: 'seeds' })
    const stage = rangeJob(100, -1)
    const deep = await stack.call('POST', '/v1/jobs', stage)
    expectProblem(deep, 400, 'STK_SPEC_INVALID')
    expect(deep.json.place.path).toBe('pipeline.stages[0].size')
    for (const document of ['', 'null', '[]', '5']) {
      expectProblem(await stack.call('POST', '/v1/jobs', document), 400, 'STK_SPEC_INVALID')
    }
  })

  it('refuses a strict job with warnings, naming the first and its fix', async () => {
    const stages = [{ op: 'batch', size: 2 }]
    const answer = await stack.call('POST', '/v1/jobs', {
      pipeline: { source: { type: 'range', stop: 9 }, stages },
      strict: true,
      ...small,
    })
    expectProblem(answer, 422, 'STK_JOB_REFUSED')
    expect(answer.json.remedy).toContain('prefetch')
  })

  it('refuses a buffer larger than Redis, a pattern that matches nothing, and a path outside of the roots', async () => {
    expectProblem(
      await stack.call('POST', '/v1/jobs', rangeJob(9, 2, { bufferBytes: '1GiB' })),
      422,
      'STK_JOB_BUFFER_ABOVE_REDIS',
    )
    expectProblem(
      await stack.call('POST', '/v1/jobs', imageJob('file:none-*.tfrecord', 2, small)),
      404,
      'STK_STORAGE_NO_MATCH',
    )
    const outside = await stack.call('POST', '/v1/jobs', imageJob('file:/etc/pass*', 2, small))
    expect(outside.status).toBe(403)
    expect(outside.json.code).toBe('STK_STORAGE_OUTSIDE_ROOTS')
  })

  it('makes the feed of the validation data with the job, and lists only the job', async () => {
    const validation = { pipeline: imageJob('file:a.tfrecord', 5).pipeline }
    const model = { kind: 'savedModel', uri: 'file:model' }
    const id = await stack.submit(
      imageJob('file:*.tfrecord', 2, { ...small, name: 'digits', train: { model, epochs: 3, validation } }),
    )
    const parent = await stack.call('GET', `/v1/jobs/${id}`)
    expect(parent.json).toMatchObject({ kind: 'train', progress: { epochs: 3, shards: 1 } })
    const child = await stack.call('GET', `/v1/jobs/${id}.val`)
    expect(child.json).toMatchObject({ kind: 'feed', parent: id, progress: { epochs: 3 } })
    const { json } = await stack.call('GET', '/v1/jobs')
    expectShape(JobList, json)
    const ids = json.jobs.map((job: { id: string }) => job.id)
    expect(ids[0]).toBe(id)
    expect(ids).not.toContain(`${id}.val`)
    expectProblem(await stack.call('POST', `/v1/jobs/${id}.val/cancel`), 409, 'STK_API_CHILD')
    await stack.call('POST', `/v1/jobs/${id}/cancel`)
    expect((await stack.call('GET', `/v1/jobs/${id}.val`)).json.state).toBe('cancelled')
  })

  it('lists in pages, newest first', async () => {
    const names = ['one', 'two', 'three']
    for (const name of names) await stack.submit(rangeJob(9, 2, { ...small, name }))
    const first = await stack.call('GET', '/v1/jobs?limit=2')
    expect(first.json.jobs.map(({ name }: { name: string }) => name)).toEqual(['three', 'two'])
    const next = await stack.call('GET', first.json.next)
    expect(next.json.jobs[0].name).toBe('one')
  })

  it('refuses jobs while Redis evicts keys, and says how to stop that', async () => {
    const redis = new Redis(stack.redis.url)
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru')
    const answer = await stack.call('POST', '/v1/jobs', rangeJob(9, 2, small))
    await redis.config('SET', 'maxmemory-policy', 'noeviction')
    redis.disconnect()
    expectProblem(answer, 500, 'STK_REDIS_EVICTS')
    expect(answer.json.remedy).toContain('noeviction')
    expect(answer.text).not.toContain('127.0.0.1')
  })
})

describe('POST /v1/lint', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack()
  })
  afterAll(() => stack.stop())

  it('tells mistakes with code, place and fix, and touches no data', async () => {
    const { pipeline } = imageJob('s3://nowhere/x-*.tfrecord', 4)
    const job = {
      pipeline: { ...pipeline, stages: [...pipeline.stages.slice(0, -1), { op: 'shuffle', bufferSize: 100 }] },
    }
    const { status, json } = await stack.call('POST', '/v1/lint', job)
    expect(status).toBe(200)
    expect(json.findings.map(({ code }: { code: string }) => code)).toEqual(
      expect.arrayContaining(['STK_LINT_SHUFFLE_AFTER_BATCH', 'STK_LINT_NO_PREFETCH']),
    )
    for (const finding of json.findings) expect(finding.fix).toMatch(/\w/)
  })

  it('tells a document that is no job as a finding, and a body that is no JSON as a problem', async () => {
    const { json } = await stack.call('POST', '/v1/lint', rangeJob(100, 0))
    expect(json.findings).toMatchObject([{ level: 'error', code: 'STK_SPEC_INVALID', path: 'pipeline.stages[0].size' }])
    expectProblem(await stack.call('POST', '/v1/lint', '{'), 400, 'STK_API_BODY_JSON')
  })
})
