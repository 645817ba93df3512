import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectProblem, rangeJob, type Stack, startStack } from './helpers/stack.js'

describe('answers that are no success', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack({ STOKER_BODY_LIMIT: '64KiB' })
  })
  afterAll(() => stack.stop())

  it.each([
    ['{"a": 1, "b" }', 13],
    ['{"a": [1, 2,]}', 12],
    ['{"a": 1', 7],
    ['{"a": 1} x', 9],
    ["{'a': 1}", 1],
    ['{"a": NaN}', 6],
    ['// no\n{}', 0],
    ['\n\n  {"a" 1}', 9],
  ])('say where a body stops being JSON: %j', async (body, offset) => {
    const answer = await stack.call('POST', '/v1/jobs', body)
    expectProblem(answer, 400, 'STK_API_BODY_JSON')
    expect(answer.json.place).toEqual({ offset })
    expect(answer.json.detail).toMatch(/line \d+, column \d+/)
  })

  it('refuse bodies that would reach a prototype or the stack', async () => {
    const poisoned = '{"__proto__": {"strict": true}, "pipeline": {}}'
    const answer = await stack.call('POST', '/v1/jobs', poisoned)
    expectProblem(answer, 400, 'STK_API_BODY_FORBIDDEN')
    expect(answer.json.detail).toContain('property __proto__')
    const below = '{"pipeline": {"stages": [{"constructor": {"prototype": {}}}]}}'
    const deeper = await stack.call('POST', '/v1/jobs', below)
    expectProblem(deeper, 400, 'STK_API_BODY_FORBIDDEN')
    expect(deeper.json.place).toEqual({ path: 'pipeline.stages[0].constructor.prototype' })
    const deep = `{"pipeline": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`
    expectProblem(await stack.call('POST', '/v1/jobs', deep), 400, 'STK_API_BODY_DEPTH')
  })

  it('name the limit that a body passed', async () => {
    const answer = await stack.call('POST', '/v1/jobs', rangeJob(1, 1, { name: 'x'.repeat(70_000) }))
    expectProblem(answer, 413, 'STK_API_BODY_SIZE')
    expect(answer.json.detail).toContain('64 KiB')
    expect(answer.json.remedy).toContain('STOKER_BODY_LIMIT')
  })

  it('name the type of a body that is not read', async () => {
    const answer = await stack.call('POST', '/v1/jobs', '<job/>', { 'content-type': 'application/xml' })
    expectProblem(answer, 415, 'STK_API_BODY_TYPE')
    expect(answer.json.detail).toContain('application/xml')
  })

  it('are problems for unknown routes, methods and jobs too', async () => {
    expectProblem(await stack.call('GET', '/nothing/here?x=<script>'), 404, 'STK_API_ROUTE_UNKNOWN')
    expectProblem(await stack.call('GET', '/v1/jobs/unknown'), 404, 'STK_JOB_UNKNOWN')
    expectProblem(await stack.call('GET', '/v1/jobs/a%7Db'), 404, 'STK_JOB_UNKNOWN')
    expectProblem(await stack.call('POST', '/v1/jobs/unknown/pause'), 404, 'STK_JOB_UNKNOWN')
    expectProblem(await stack.call('GET', '/v1/jobs/unknown/events'), 404, 'STK_JOB_UNKNOWN')
    expectProblem(await stack.call('GET', '/v1/jobs/unknown/batches/0/0'), 404, 'STK_JOB_UNKNOWN')
    expectProblem(await stack.call('GET', '/%c0%af'), 400, 'STK_API_REQUEST')
  })

  it.each([
    ['DELETE', '/v1/jobs', 'GET, HEAD, POST'],
    ['GET', '/v1/jobs/x/cancel', 'POST'],
    ['PUT', '/v1/jobs/x/take?now', 'POST'],
    ['POST', '/v1/jobs/x/batches/0/0', 'GET'],
    ['PATCH', '/healthz', 'GET, HEAD'],
  ])('name the methods of an address that does not take %s: %s', async (method, path, allow) => {
    const answer = await stack.call(method, path)
    expectProblem(answer, 405, 'STK_API_METHOD')
    expect(answer.headers.get('allow')).toBe(allow)
    expect(answer.json.detail).toContain(allow)
  })

  it('name the part of the address that is wrong', async () => {
    const limit = await stack.call('GET', '/v1/jobs?limit=many')
    expectProblem(limit, 400, 'STK_SPEC_INVALID')
    expect(limit.json.place).toEqual({ path: 'query.limit' })
    const batch = await stack.call('GET', '/v1/jobs/x/batches/0/-1')
    expect(batch.json.place).toEqual({ path: 'path.batch' })
    const format = await stack.call('GET', '/v1/jobs/x/batches/0/1?format=gif')
    expect(format.json.place).toEqual({ path: 'query.format' })
  })

  it('refuse changes by pages of other sites', async () => {
    const id = await stack.submit(rangeJob(10, 2))
    const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }
    expectProblem(await stack.call('POST', `/v1/jobs/${id}/cancel`, undefined, foreign), 403, 'STK_API_CROSS_SITE')
    expect((await stack.call('GET', `/v1/jobs/${id}`)).json.state).not.toBe('cancelled')
  })
})

describe('answers without Redis', () => {
  it('come within seconds, as 503 without addresses, from every route that needs it', async () => {
    const stack = await startStack()
    try {
      const id = await stack.submit(rangeJob(10, 2))
      await stack.redis.stop()
      const started = performance.now()
      const answers = await Promise.all([
        stack.call('GET', '/healthz'),
        stack.call('GET', '/readyz'),
        stack.call('GET', '/v1/jobs'),
        stack.call('GET', `/v1/jobs/${id}`),
        stack.call('POST', '/v1/jobs', rangeJob(10, 2)),
        stack.call('POST', `/v1/jobs/${id}/pause`),
        stack.call('GET', `/v1/jobs/${id}/batches/0/0`),
      ])
      expect(performance.now() - started).toBeLessThan(8_000)
      for (const answer of answers) {
        expectProblem(answer, 503, 'STK_REDIS_UNAVAILABLE')
        expect(answer.headers.get('retry-after')).toBe('2')
        expect(answer.text).not.toMatch(/127\.0\.0\.1|ECONN/)
      }
    } finally {
      await stack.stop()
    }
  })
})
