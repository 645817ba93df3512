import { readFile } from 'node:fs/promises'
import { type RunningServer, startRedis } from '@stoker/services'
import type { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseRedisAddress, type RedisAddress } from '../src/address.js'
import { checkRedis } from '../src/check-redis.js'
import { connectRedis, type RedisRole, redisReady } from '../src/connect.js'
import { RedisAddressInvalid, RedisEvicts, RedisRefused, RedisUnavailable } from '../src/error-table.js'
import { asRedisError } from '../src/redis-error.js'

let server: RunningServer
let admin: Redis
let port: number
const opened: Redis[] = []
const open = (address: RedisAddress, role: RedisRole = 'command', say?: (message: string) => void) => {
  const redis = connectRedis(address, role, say ? { say } : {})
  opened.push(redis)
  return redis
}
beforeAll(async () => {
  server = await startRedis()
  port = Number(new URL(server.url).port)
})
beforeEach(() => {
  admin = open(server.url)
})
afterEach(() => {
  for (const redis of opened.splice(0)) redis.disconnect()
})
afterAll(() => server.stop())

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error,
  )

describe('an address', () => {
  it.each([
    ['redis://host', { host: 'host', port: 6379 }],
    ['redis://host:1234/5', { host: 'host', port: 1234, db: 5 }],
    ['redis://[::1]:1234', { host: '::1', port: 1234 }],
    ['redis://:secret@host', { host: 'host', port: 6379, password: 'secret' }],
    ['redis://user:a%40b%2Fc@host', { host: 'host', port: 6379, username: 'user', password: 'a@b/c' }],
    ['redis://user:a@b/c#d?e:f@host:1', { host: 'host', port: 1, username: 'user', password: 'a@b/c#d?e:f' }],
    ['redis://user:100%@host', { host: 'host', port: 6379, username: 'user', password: '100%' }],
    ['rediss://host:6380', { host: 'host', port: 6380, tls: true }],
    [
      'rediss://u:p?q@host/2?x=1&ca=%2Fa%20b%40c.pem',
      { host: 'host', port: 6379, username: 'u', password: 'p?q', db: 2, tls: true, caFile: '/a b@c.pem' },
    ],
    [
      'redis://u:a,b@h1:1,[::1],h3:3',
      {
        host: 'h1',
        port: 1,
        username: 'u',
        password: 'a,b',
        clusterNodes: [
          { host: '::1', port: 6379 },
          { host: 'h3', port: 3 },
        ],
      },
    ],
    ['rediss://one?cluster=true', { host: 'one', port: 6379, tls: true, clusterNodes: [] }],
    ['unix:///tmp/redis.sock?db=2', { path: '/tmp/redis.sock', db: 2 }],
  ])('%s is understood', (address, fields) => {
    expect(parseRedisAddress(address)).toEqual(fields)
  })

  it.each([
    'host:6379',
    'http://host',
    'redis://host:port',
    'redis://h1:1,h2:port',
    'redis://h1,h2/1',
    'redis://u:topsecret@host:99999',
  ])('%s is refused without showing its password', (address) => {
    let error: unknown
    try {
      parseRedisAddress(address)
    } catch (thrown) {
      error = thrown
    }
    expect(RedisAddressInvalid.is(error)).toBe(true)
    expect(String(error)).not.toContain('topsecret')
  })
})

describe('a login', () => {
  // Every printable character of ASCII.
  const password = String.fromCharCode(...Array.from({ length: 94 }, (_, i) => 33 + i))
  const login = async (name: string, rules: string[]) => {
    await admin.call('ACL', 'SETUSER', name, 'reset', 'on', `>${password}`, ...rules)
  }

  it('works with any characters in the password, as a field and escaped in the URL', async () => {
    await login('someone', ['~*', '&*', '+@all'])
    await redisReady(open({ host: '127.0.0.1', port, username: 'someone', password }))
    await redisReady(open(`redis://someone:${encodeURIComponent(password)}@127.0.0.1:${port}`))
  })

  it.each(['command', 'queue', 'blocking'] as const)(
    'that is wrong fails with one clear message on a %s connection',
    async (role) => {
      const said: string[] = []
      const redis = open({ host: '127.0.0.1', port, username: 'someone', password: 'wrong' }, role, (m) => said.push(m))
      const error = await failure(redisReady(redis))
      expect(RedisRefused.is(error)).toBe(true)
      expect(error).toMatchObject({
        message: expect.stringContaining(`127.0.0.1:${port}`),
        remedy: expect.stringContaining('password'),
      })
      expect(said.filter((message) => message.includes('refuses'))).toHaveLength(1)
      expect(said.join()).not.toContain('wrong')
    },
  )
})

describe('checkRedis', () => {
  it('knows version, policy and memory limit', async () => {
    await admin.config('SET', 'maxmemory', '104857600')
    const facts = await checkRedis(admin)
    expect(facts).toMatchObject({ policy: 'noeviction', maxmemoryBytes: 104_857_600, skipped: [] })
    expect(facts.version).toMatch(/^\d+\.\d+/)
    await admin.config('SET', 'maxmemory', '0')
    expect((await checkRedis(admin)).maxmemoryBytes).toBe(0)
  })

  it('refuses a Redis that evicts keys, and says what to run', async () => {
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru')
    const error = await failure(checkRedis(admin))
    await admin.config('SET', 'maxmemory-policy', 'noeviction')
    expect(RedisEvicts.is(error)).toBe(true)
    expect(error).toMatchObject({ remedy: expect.stringContaining('CONFIG SET maxmemory-policy noeviction') })
  })

  it('says which checks it could not make where INFO and CONFIG are forbidden', async () => {
    await admin.call('ACL', 'SETUSER', 'modest', 'reset', 'on', '>pw', '~*', '&*', '+@all', '-info', '-config')
    const facts = await checkRedis(open(`redis://modest:pw@127.0.0.1:${port}`, 'queue'))
    expect(facts).toMatchObject({ version: undefined, policy: undefined, maxmemoryBytes: undefined })
    expect(facts.skipped).toHaveLength(3)
  })

  it('fails with a code when there is no Redis', async () => {
    const nobody = open('redis://127.0.0.1:1', 'queue')
    const error = await failure(checkRedis(nobody, 300))
    expect(RedisUnavailable.is(error)).toBe(true)
    expect(error).toMatchObject({ message: expect.stringContaining('ECONNREFUSED') })
  })
})

it('only faults of Redis become errors of Redis', async () => {
  const redis = open('redis://127.0.0.1:1')
  const file = await failure(readFile('/nonexistent'))
  for (const other of [file, new Error('OOM in my own code'), 'text', undefined]) {
    expect(asRedisError(other, redis)).toBeUndefined()
  }
  const line = await failure(redis.get('a'))
  expect(asRedisError(line, redis)).toMatchObject({ message: expect.stringContaining('ECONNREFUSED') })
  const reply = await failure(admin.call('ACL', 'NOSUCH'))
  expect(asRedisError(reply, admin)).toBeUndefined()
})

describe('a connection that is lost', () => {
  it('fails the commands of a request, lets those of a worker wait, and tells once of each change', async () => {
    const away = await startRedis()
    const said: string[] = []
    const request = open(away.url, 'command')
    const worker = open(away.url, 'queue', (message) => said.push(message))
    await Promise.all([request.set('a', '1'), worker.set('b', '1')])
    await away.stop()
    const waiting = worker.incr('b')
    const start = performance.now()
    await failure(request.get('a'))
    expect(performance.now() - start).toBeLessThan(5_000)
    const back = await startRedis({ port: Number(new URL(away.url).port) })
    expect(await waiting).toBe(1) // it kept nothing
    expect(said).toHaveLength(2)
    expect(said[1]).toContain('is back')
    await back.stop()
  })
})
