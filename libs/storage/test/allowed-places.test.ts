import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAllowedPlaces } from '../src/allowed-places.js'
import { createStore, OutsidePlaces, storageConfigFromEnv } from '../src/index.js'
import { type OddServer, sendRange, startOddServer } from './odd-server.js'

const ALLOWED = ['s3://data/train', 's3://whole', 'https://host.example/sets', 'http://127.0.0.1:1', 'gs:']
const { check, checkPattern } = createAllowedPlaces(ALLOWED)

describe('allowed places', () => {
  it.each([
    ...['s3://data/train', 's3://data/train/x', 's3://data/train/a/b..c/x', 's3://whole/any/thing', 'gs://any/thing'],
    ...['https://host.example/sets/x?y=../z', 'https://HOST.example:443/sets/a%20b', 'http://127.0.0.1:1/x', 'file:/x'],
  ])('hold %s', (uri) => {
    expect(() => check(uri)).not.toThrow()
    expect(() => checkPattern(uri)).not.toThrow()
  })

  it.each([
    ...[
      's3://data/training/x',
      's3://data/train-2',
      's3://data/tra',
      's3://data',
      's3://data2/train/x',
      's3://Data/train/x',
    ],
    ...['s3://data/train/../secret', 's3://data/train/./x', 's3://whole/../data/secret', 's3://data//train/../x'],
    ...['https://host.example/', 'https://host.example/setsx', 'https://host.example.evil.example/sets/x'],
    ...['https://host.example:8443/sets/x', 'http://host.example/sets/x', 'https://evil.example/sets/x'],
    ...['https://host.example/sets/../x', 'https://host.example/sets/%2e%2e/x', 'https://host.example/sets/..%2fx'],
    ...['https://host.example/sets/%252e%252e%252fx', 'https://host.example/sets/..%5cx', 'http://127.0.0.1:2/x'],
  ])('do not hold %s', (uri) => {
    expect(() => check(uri)).toThrow('is outside the places that jobs may read (s3://data/train, ')
    expect(() => checkPattern(uri)).toThrow('is outside')
  })

  it.each([
    ...[
      's3://data/train/*',
      's3://data/train/**',
      's3://data/train/{a,b}/x?',
      's3://data/{train/a,train/b}/*',
      's3://whole/*',
    ],
    ...['s3://data/train/[ab]*'],
  ])('hold the pattern %s', (pattern) => {
    expect(() => checkPattern(pattern)).not.toThrow()
  })

  it.each([
    ...[
      's3://data/train*',
      's3://data/*',
      's3://data/**',
      's3://data/{train,secret}/x',
      's3://data/train{,/../secret}/*',
    ],
    ...['s3://data/train/{x,../secret}/*', 's3://data/[t]rain/x', 's3://data/train/*/../../secret/x'],
  ])('do not hold the pattern %s', (pattern) => {
    expect(() => checkPattern(pattern)).toThrow('is outside')
  })

  it('are read from STOKER_SOURCES, and hold the store besides', () => {
    const read = (STOKER_SOURCES: string, STOKER_STORE = 's3://own/store') =>
      storageConfigFromEnv({ STOKER_SOURCES, STOKER_STORE }).allowed
    expect(read('')).toBeUndefined()
    expect(read(' s3://aa/b , gs:')).toEqual(['s3://aa/b', 'gs:', 's3://own/store'])
    expect(read('https://host/x', 'file:///store')).toEqual(['https://host/x'])
    for (const bad of [
      's3://',
      's3://aa/*',
      'file:///x',
      'https://u:p@host/',
      'a/b',
      's3://aa,',
      'ftp://x/',
      's3://aa/../b',
    ]) {
      expect(() => read(bad), bad).toThrow('STOKER_SOURCES')
    }
  })
})

describe('a store with allowed places', () => {
  let server: OddServer
  beforeAll(async () => {
    server = await startOddServer((request, response) => {
      if (request.url === '/sets/elsewhere') response.writeHead(302, { location: '/secret' }).end()
      else if (request.url === '/sets/moved') response.writeHead(302, { location: '/sets/x' }).end()
      else sendRange(request, response, new Uint8Array(9), { etag: '"1"' })
    })
  })
  afterAll(() => server.close())

  it('asks nothing outside, by no method and through no redirect', async () => {
    const origin = `http://127.0.0.1:${server.port}`
    const store = createStore({
      ...{ fileRoots: [], allowed: [`${origin}/sets`, 's3://data'] },
      http: { privateHosts: ['127.0.0.1'] },
    })
    expect((await store.stat(`${origin}/sets/x`)).size).toBe(9)
    expect((await store.stat(`${origin}/sets/moved`)).size).toBe(9)
    const before = server.asked.length
    const outside = [`${origin}/secret`, `${origin}/sets/../secret`, 's3://other/x', 'gs://data/x']
    const calls = outside.flatMap((uri) => [
      () => store.list(uri),
      () => store.stat(uri),
      () => store.read(uri, { offset: 0, length: 1 }),
      () => store.readAll(uri),
      () => store.write(uri, new Uint8Array(1)),
      () => store.remove(uri),
      () => store.walk(uri),
    ])
    for (const call of calls) expect(await call().catch((error: unknown) => OutsidePlaces.is(error))).toBe(true)
    expect(server.asked.length).toBe(before)
    const led = await store.stat(`${origin}/sets/elsewhere`).catch((error: unknown) => error)
    expect(OutsidePlaces.is(led), String(led)).toBe(true)
    expect(server.asked.length).toBe(before + 1)
    await store.close()
  })
})
