import { request } from 'node:http'
import { makeApiKey } from '@stoker/settings'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { toConfig } from '../src/config.js'
import { type Answer, expectProblem, rangeJob, type Stack, startStack } from './helpers/stack.js'

const KEYS = {
  read: makeApiKey('reader', ['jobs:read']),
  write: makeApiKey('writer', ['jobs:write']),
  both: makeApiKey('both', ['jobs:read', 'jobs:write']),
  admin: makeApiKey('root', ['admin']),
}
type Name = keyof typeof KEYS
const bearer = (name: Name) => ({ authorization: `Bearer ${KEYS[name].key}` })

describe('with keys', () => {
  let stack: Stack
  let job: string
  beforeAll(async () => {
    const lines = Object.values(KEYS).map(({ line }) => line)
    stack = await startStack({ STOKER_API_KEYS: lines.join('\n') })
    job = await stack.submit(rangeJob(10, 2), bearer('both'))
  })
  afterAll(() => stack.stop())

  const reads = () => [
    ['GET', '/v1/jobs'],
    ['GET', `/v1/jobs/${job}`],
    ['GET', `/v1/jobs/${job}/bad-records`],
    ['POST', '/v1/lint', rangeJob(10, 2)],
    ['GET', `/v1/jobs/nobody/events`],
    ['GET', `/v1/jobs/nobody/batches/0/0`],
  ]
  const writes = () => [
    ['POST', '/v1/jobs', rangeJob(10, 2)],
    ...['pause', 'resume'].map((verb) => ['POST', `/v1/jobs/${job}/${verb}`]),
    ['POST', '/v1/jobs/nobody/cancel'],
    ['POST', `/v1/jobs/nobody/take`, { epoch: 0, batch: 0 }],
    ['POST', `/v1/jobs/nobody/cursor`, { epoch: 0, batch: 0 }],
  ]
  const admin = () => [
    ['GET', '/queues'],
    ['GET', '/queues/api/queues'],
    ['PUT', '/queues/api/queues/stoker-tasks/pause'],
  ]
  const anyKey = () => [
    ['GET', '/docs/'],
    ['GET', '/docs/json'],
    ['GET', '/openapi.json'],
    ['POST', '/v1/session'],
    ['POST', '/v1/nothing'],
  ]
  type Call = readonly [method: string, path: string, body?: unknown]
  const ask = ([method, path, body]: Call, headers: Record<string, string>): Promise<Answer> =>
    stack.call(method, path, body, headers)

  it('asks for one on every route but the page and the probes, and takes no other', async () => {
    for (const call of [...reads(), ...writes(), ...admin(), ...anyKey()] as unknown as Call[]) {
      const none = await ask(call, {})
      expectProblem(none, 401, 'STK_API_KEY_MISSING')
      expect(none.headers.get('www-authenticate')).toMatch(/^Bearer/)
      expectProblem(await ask(call, { authorization: `Bearer ${KEYS.both.key}x` }), 401, 'STK_API_KEY_UNKNOWN')
    }
    for (const authorization of [KEYS.both.key, `Basic ${KEYS.both.key}`, 'Bearer', `Bearer ${KEYS.both.line}`]) {
      expectProblem(await stack.call('GET', '/v1/jobs', undefined, { authorization }), 401, 'STK_API_KEY_UNKNOWN')
    }
    expectProblem(await stack.call('GET', `/v1/jobs?key=${KEYS.both.key}`), 401, 'STK_API_KEY_MISSING')
    for (const path of ['/', '/favicon.svg', '/healthz', '/readyz']) {
      expect((await stack.call('GET', path)).status, path).toBe(200)
    }
  })

  it('knows of no route that was left out of this test', async () => {
    const { json } = await stack.call('GET', '/openapi.json', undefined, bearer('admin'))
    const declared = Object.entries<Record<string, unknown>>(json.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '*')}`),
    )
    const tested = [...reads(), ...writes(), ...anyKey()].map(
      ([method, path]) => `${method} ${`${path}`.replace(/jobs\/\w+/, 'jobs/*').replace('/0/0', '/*/*')}`,
    )
    const open = ['GET /healthz', 'GET /readyz', 'DELETE /v1/session']
    expect(declared.filter((route) => !tested.includes(route)).sort()).toEqual(open.sort())
  })

  it('gives each scope its routes and no others', async () => {
    const refused = async (calls: unknown, names: Name[]) => {
      for (const call of calls as Call[])
        for (const name of names) expectProblem(await ask(call, bearer(name)), 403, 'STK_API_SCOPE')
    }
    const taken = async (calls: unknown, names: Name[]) => {
      for (const call of calls as Call[]) {
        // A board to look at takes no PUT; of a job that is not there, 404.
        for (const name of names) expect([401, 403], `${call}`).not.toContain((await ask(call, bearer(name))).status)
      }
    }
    await refused(reads(), ['write'])
    await refused(writes(), ['read'])
    await refused(admin(), ['read', 'write', 'both'])
    await taken(reads(), ['read', 'both', 'admin'])
    await taken(writes(), ['write', 'both', 'admin'])
    await taken(admin(), ['admin'])
    await taken(anyKey(), ['read', 'write', 'both', 'admin'])
  })

  it('refuses before it reads a body', async () => {
    expectProblem(await stack.call('POST', '/v1/jobs', '{"broken'), 401, 'STK_API_KEY_MISSING')
  })

  it('lets a browser open the pages by a cookie, to look only, until the session ends', async () => {
    const opened = await stack.call('POST', '/v1/session', undefined, bearer('admin'))
    expect(opened.status).toBe(204)
    const cookie = opened.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict$/)
    expect(cookie).not.toContain(KEYS.admin.key)
    const headers = { cookie: cookie.split(';')[0] ?? '' }
    expect((await stack.call('GET', '/queues', undefined, headers)).status).toBe(200)
    expect((await stack.call('GET', '/docs/json', undefined, headers)).status).toBe(200)
    expectProblem(await stack.call('GET', '/v1/jobs', undefined, headers), 401, 'STK_API_KEY_MISSING')
    expectProblem(
      await stack.call('PUT', '/queues/api/queues/stoker-tasks/pause', undefined, headers),
      401,
      'STK_API_KEY_MISSING',
    )
    const secure = await stack.call('POST', '/v1/session', undefined, {
      ...bearer('read'),
      origin: 'https://stoker.example',
    })
    expect(secure.headers.get('set-cookie')).toMatch(/; Secure$/)
    const ofReader = { cookie: secure.headers.get('set-cookie')?.split(';')[0] ?? '' }
    expectProblem(await stack.call('GET', '/queues', undefined, ofReader), 403, 'STK_API_SCOPE')

    expect((await stack.call('DELETE', '/v1/session', undefined, headers)).status).toBe(204)
    expectProblem(await stack.call('GET', '/queues', undefined, headers), 401, 'STK_API_KEY_MISSING')
  })

  it('tells strangers only whether it is well', async () => {
    expect((await stack.call('GET', '/healthz')).json).toEqual({ status: 'ok' })
    expect((await stack.call('GET', '/healthz', undefined, bearer('read'))).json).toHaveProperty('redisWriteMs')
  })

  it('tells in the OpenAPI document which key a route asks for', async () => {
    const { json } = await stack.call('GET', '/openapi.json', undefined, bearer('read'))
    const { post } = json.paths['/v1/jobs']
    expect(post.security).toEqual([{ key: [] }])
    expect(post.description).toContain('`jobs:write`')
    expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(['401', '403', '429']))
    expect(json.paths['/healthz'].get.security).toBeUndefined()
  })
})

describe('without keys', () => {
  it.each(['0.0.0.0', '::', '192.168.1.7', 'stoker.example', '128.0.0.1'])('does not start on %s', (host) => {
    expect(() => toConfig({ STOKER_HOST: host })).toThrow(`without API keys the api does not listen on ${host}`)
  })

  it.each(['127.0.0.1', '127.8.9.1', '::1', 'localhost'])('starts on %s', (host) => {
    expect(toConfig({ STOKER_HOST: host })).toMatchObject({ host, keys: [] })
  })

  it('answers under the names of this machine only, whatever a page of another site was told', async () => {
    const stack = await startStack()
    const asked = async (host: string) => {
      const { port } = new URL(stack.api.url)
      return new Promise<number | undefined>((done, fail) => {
        request({ port, path: '/v1/jobs', headers: { host } }, (response) => done(response.resume().statusCode))
          .on('error', fail)
          .end()
      })
    }
    for (const host of ['localhost', 'localhost:7070', '127.0.0.1:1', '[::1]:7070']) expect(await asked(host)).toBe(200)
    for (const host of ['evil.example', 'evil.example:7070', '127.0.0.1.evil.example', '10.0.0.1']) {
      expect(await asked(host), host).toBe(421)
    }
    await stack.stop()
  })
})

describe('the rate limit', () => {
  it('counts each key and each address by itself, and says when to come back', async () => {
    const [one, other] = [makeApiKey('one', ['admin']), makeApiKey('other', ['admin'])]
    const stack = await startStack({ STOKER_API_KEYS: `${one.line};${other.line}`, STOKER_RATE_LIMIT: '5' })
    const ask = (authorization?: string) =>
      stack.call('GET', '/v1/jobs', undefined, authorization === undefined ? {} : { authorization })
    const statuses = async (authorization?: string) => {
      const answers: Answer[] = []
      for (let at = 0; at < 6; at++) answers.push(await ask(authorization))
      return answers
    }
    const mine = await statuses(`Bearer ${one.key}`)
    expect(mine.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429])
    const last = mine[5] as Answer
    expectProblem(last, 429, 'STK_API_RATE')
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(Number(last.headers.get('retry-after'))).toBeLessThanOrEqual(60)
    expect((await ask(`Bearer ${other.key}`)).status).toBe(200)
    // Guessing is counted by address, whatever is guessed.
    const guesses: number[] = []
    for (let at = 0; at < 6; at++) guesses.push((await ask(`Bearer ${'x'.repeat(40)}${at}`)).status)
    expect(guesses).toEqual([401, 401, 401, 401, 401, 429])
    expect((await ask(`Bearer ${other.key}`)).status).toBe(200)
    await stack.stop()
  })
})
