import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rangeJob, type Stack, startStack } from './helpers/stack.js'

describe('pages', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await startStack()
  })
  afterAll(() => stack.stop())

  it('describe every route with all its answers at /docs/json', async () => {
    const { json } = await stack.call('GET', '/docs/json')
    expect(json.openapi).toBe('3.1.0')
    const routes = Object.entries<Record<string, unknown>>(json.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    )
    expect(routes.sort()).toEqual([
      'delete /v1/session',
      'get /healthz',
      'get /readyz',
      'get /v1/jobs',
      'get /v1/jobs/{id}',
      'get /v1/jobs/{id}/bad-records',
      'get /v1/jobs/{id}/batches/{epoch}/{batch}',
      'get /v1/jobs/{id}/events',
      'post /v1/jobs',
      'post /v1/jobs/{id}/cancel',
      'post /v1/jobs/{id}/cursor',
      'post /v1/jobs/{id}/pause',
      'post /v1/jobs/{id}/resume',
      'post /v1/jobs/{id}/take',
      'post /v1/lint',
      'post /v1/session',
    ])
    const submit = json.paths['/v1/jobs'].post
    expect(Object.keys(submit.responses)).toEqual(expect.arrayContaining(['201', '400', '409', '413', '422']))
    const stages =
      submit.requestBody.content['application/json'].schema.properties.pipeline.properties.stages.items.oneOf
    expect(stages.map(({ title }: { title: string }) => title)).toContain('decodeJpeg')
    expect((await stack.call('GET', '/openapi.json')).json).toEqual(json)
  })

  it.each(['/', '/docs/', '/queues'])('serve %s with a policy, unguessed and unframed', async (path) => {
    const { status, headers, text } = await stack.call('GET', path)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(text).toMatch(/<html/i)
  })

  it("keep hashed files for ever and ask for the page's every time", async () => {
    const page = await stack.call('GET', '/')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(page.text)?.[1] ?? ''
    const file = await stack.call('GET', script)
    expect(file.status).toBe(200)
    expect(file.headers.get('cache-control')).toContain('immutable')
  })

  it('show the queues, to look only', async () => {
    await stack.submit(rangeJob(10, 2))
    const { json } = await stack.call('GET', '/queues/api/queues')
    expect(
      json.queues.map(({ name, readOnlyMode }: { name: string; readOnlyMode: boolean }) => [name, readOnlyMode]),
    ).toEqual([
      ['stoker-tasks', true],
      ['stoker-train', true],
    ])
  })
})
