import { PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3'
import { canStartS3 } from '@stoker/services'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  AccessDenied,
  AddressRefused,
  BadUri,
  NoListing,
  NoRanges,
  NoVersion,
  ObjectMissing,
  RangeOutside,
  ReadOnlyStore,
  ShardChanged,
  StorageFailed,
  StorageUnavailable,
} from '../src/error-table.js'
import type { ObjectStore } from '../src/object-store.js'
import { createStore } from '../src/store.js'
import { failureOf, numberedBytes, s3Backend, text } from './backends.js'
import { type FaultProxy, startFaultProxy } from './fault-proxy.js'
import { type OddServer, sendRange, startOddServer } from './odd-server.js'

const storeFor = (...privateHosts: string[]) => createStore({ fileRoots: [], http: { privateHosts } })

// Objects that anybody may read on a real S3 server are objects of a web server with ETags, ranges and conditions.
describe.skipIf(!(await canStartS3()))('https: on a server that does all', { timeout: 120_000 }, () => {
  const bytes = numberedBytes(3_000_001)
  let backend: Awaited<ReturnType<typeof s3Backend>>
  let proxy: FaultProxy
  let store: ObjectStore
  let uri: string
  let etag: string

  beforeAll(async () => {
    backend = await s3Backend()
    const { url: endpoint, region, accessKeyId, secretAccessKey } = backend.server
    await backend.server.bucket('open')
    const client = new S3Client({
      endpoint,
      region,
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
    })
    const anybodyReads = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::open/*' }
    const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [anybodyReads] })
    await client.send(new PutBucketPolicyCommand({ Bucket: 'open', Policy }))
    client.destroy()
    await backend.store.write('s3://open/a b+ü.bin', bytes)
    await backend.store.write('s3://open/empty', new Uint8Array(0))
    proxy = await startFaultProxy(endpoint)
    store = storeFor('127.0.0.0/8')
    uri = `${proxy.url}/open/a%20b%2B%C3%BC.bin`
    ;({ etag } = await store.stat(uri))
  }, 300_000)
  afterAll(async () => {
    await store?.close()
    await proxy?.close()
    await backend?.close()
  })
  afterEach(() => proxy.onRequest(() => undefined))

  it('reads exact ranges of a pinned version', async () => {
    const [listed] = await store.list(uri)
    expect(listed).toEqual({ uri, size: bytes.length, etag })
    expect(etag).toMatch(/^".+"$/)
    proxy.onRequest(() => undefined)
    const part = await store.read(uri, { offset: 1000, length: 2_000_000 }, { etag })
    expect(Buffer.compare(part, bytes.subarray(1000, 2_001_000))).toBe(0)
    expect(proxy.seen).toEqual([expect.objectContaining({ range: 'bytes=1000-2000999', ifMatch: etag })])
    expect(Buffer.compare(await store.readAll(uri, { etag }), bytes)).toBe(0)
    expect(await store.read(uri, { offset: 5, length: 0 })).toEqual(new Uint8Array(0))
  })

  it('reads an object without bytes', async () => {
    const empty = `${proxy.url}/open/empty`
    const stat = await store.stat(empty)
    expect(stat.size).toBe(0)
    expect(await store.readAll(empty, { etag: stat.etag })).toEqual(new Uint8Array(0))
    expect(RangeOutside.is(await failureOf(() => store.read(empty, { offset: 0, length: 1 })))).toBe(true)
  })

  it('refuses what lies beyond the end', async () => {
    const failure = await failureOf(() => store.read(uri, { offset: bytes.length - 1, length: 2 }))
    if (!RangeOutside.is(failure)) throw failure
    expect(failure.message).toContain(`it has ${bytes.length}`)
    expect(RangeOutside.is(await failureOf(() => store.read(uri, { offset: 4_000_000, length: 2 })))).toBe(true)
  })

  it('names both versions when the object was replaced', async () => {
    await backend.store.write('s3://open/moving', text('old'))
    const moving = `${proxy.url}/open/moving`
    const old = await store.stat(moving)
    await backend.store.write('s3://open/moving', text('new'))
    const { etag: now } = await store.stat(moving)
    for (const call of [
      () => store.read(moving, { offset: 0, length: 3 }, { etag: old.etag }),
      () => store.readAll(moving, { etag: old.etag }),
    ]) {
      const failure = await failureOf(call)
      if (!ShardChanged.is(failure)) throw failure
      expect(failure.message).toBe(`${moving} changed: pinned as ETag ${old.etag}, now ${now}`)
    }
  })

  it('takes a stream up where it broke, and asks again after 503, as s3: does', async () => {
    proxy.onRequest((_, count) => {
      if (count === 1) return { cutAfter: 1_000_000 }
      return count === 2 ? { status: 503, code: 'SlowDown' } : undefined
    })
    expect(Buffer.compare(await store.readAll(uri), bytes)).toBe(0)
    expect(proxy.seen.map(({ range }) => range)).toEqual(['bytes=0-', 'bytes=1000000-3000000', 'bytes=1000000-3000000'])
  })

  it('says what is missing and what may not be read, and asks once', async () => {
    proxy.onRequest(() => undefined)
    expect(ObjectMissing.is(await failureOf(() => store.stat(`${proxy.url}/open/none`)))).toBe(true)
    const denied = await failureOf(() => store.stat(`${proxy.url}/data/none`))
    if (!AccessDenied.is(denied)) throw denied
    expect(denied.message).toContain('HTTP 403')
    expect(proxy.seen).toHaveLength(2)
    const failure = await failureOf(() => store.list(`${proxy.url}/open/part-*.tar`))
    if (!ObjectMissing.is(failure)) throw failure
    expect(failure.remedy).toContain('has no patterns')
  })

  it('neither writes nor lists', async () => {
    expect(ReadOnlyStore.is(await failureOf(() => store.write(uri, text('x'))))).toBe(true)
    expect(ReadOnlyStore.is(await failureOf(() => store.remove(uri)))).toBe(true)
    expect(NoListing.is(await failureOf(() => store.walk(`${proxy.url}/open`)))).toBe(true)
  })

  it('ends with the reason of the signal', async () => {
    const reason = new Error('cancelled')
    const midway = new AbortController()
    const failure = await failureOf(async () => {
      for await (const _ of store.stream(uri, { signal: midway.signal })) midway.abort(reason)
    })
    expect(failure).toBe(reason)
    expect(await failureOf(() => store.stat(uri, { signal: AbortSignal.abort(reason) }))).toBe(reason)
  })
})

describe('https: on servers that do less', () => {
  const bytes = numberedBytes(1000)
  const servers: OddServer[] = []
  const store = storeFor('127.0.0.1')
  const serve = async (...given: Parameters<typeof startOddServer>) => {
    const server = await startOddServer(...given)
    servers.push(server)
    return server
  }
  afterAll(async () => {
    await store.close()
    for (const server of servers) await server.close()
  })

  it('refuses a server that ignores ranges, before any byte is read', async () => {
    const { url } = await serve((_, response) => response.writeHead(200, { etag: '"1"' }).end(bytes))
    const failure = await failureOf(() => store.stat(url))
    if (!NoRanges.is(failure)) throw failure
    expect(failure.remedy).toContain('range requests')
  })

  it('refuses a server that tells no version', async () => {
    const { url } = await serve((request, response) => sendRange(request, response, bytes, {}))
    expect(NoVersion.is(await failureOf(() => store.stat(url)))).toBe(true)
  })

  it('pins by date and size where there is no ETag', async () => {
    let modified = 'Tue, 15 Nov 1994 12:45:26 GMT'
    const { url, asked } = await serve((request, response) =>
      sendRange(request, response, bytes, { 'last-modified': modified }),
    )
    const { etag } = await store.stat(url)
    expect(etag).toBe('modified Tue, 15 Nov 1994 12:45:26 GMT, 1000 bytes')
    expect(await store.read(url, { offset: 10, length: 5 }, { etag })).toEqual(bytes.slice(10, 15))
    expect(asked.at(-1)?.headers['if-unmodified-since']).toBe(modified)
    modified = 'Tue, 15 Nov 1994 12:45:27 GMT'
    expect(ShardChanged.is(await failureOf(() => store.read(url, { offset: 10, length: 5 }, { etag })))).toBe(true)
  })

  it('compares weak ETags itself, since If-Match never takes them', async () => {
    let version = 'W/"1"'
    const { url, asked } = await serve((request, response) => {
      if (request.headers['if-match']) return void response.writeHead(412).end()
      sendRange(request, response, bytes, { etag: version })
    })
    const { etag } = await store.stat(url)
    expect(await store.read(url, { offset: 0, length: 9 }, { etag })).toEqual(bytes.slice(0, 9))
    expect(asked.at(-1)?.headers['accept-encoding']).toBe('identity')
    version = 'W/"2"'
    expect(ShardChanged.is(await failureOf(() => store.read(url, { offset: 0, length: 9 }, { etag })))).toBe(true)
  })

  it('notices a changed object on a server that ignores If-Match', async () => {
    const { url } = await serve((request, response) => sendRange(request, response, bytes, { etag: '"2"' }))
    const failure = await failureOf(() => store.read(url, { offset: 0, length: 9 }, { etag: '"1"' }))
    expect(ShardChanged.is(failure)).toBe(true)
  })

  it('goes after redirects with the range and the condition, and not for ever', async () => {
    const target = await serve((request, response) => sendRange(request, response, bytes, { etag: '"1"' }))
    const { url } = await serve((request, response) => {
      const location = request.url === '/loop' ? '/loop' : `${target.url}/signed?key=1`
      response.writeHead(302, { location }).end()
    })
    const stat = await store.stat(`${url}/x`)
    expect(stat).toEqual({ uri: `${url}/x`, size: 1000, etag: '"1"' })
    expect(await store.read(`${url}/x`, { offset: 3, length: 4 }, { etag: '"1"' })).toEqual(bytes.slice(3, 7))
    expect(target.asked.at(-1)).toMatchObject({
      path: '/signed?key=1',
      headers: { range: 'bytes=3-6', 'if-match': '"1"' },
    })
    const failure = await failureOf(() => store.stat(`${url}/loop`))
    if (!StorageFailed.is(failure)) throw failure
    expect(failure.message).toContain('more than 5 redirects')
  })

  it('waits as long as the server asks, up to its own bound, and counts the retries', async () => {
    const retries: unknown[] = []
    const patient = createStore(
      { fileRoots: [], http: { privateHosts: ['127.0.0.1'] } },
      { onRetry: (retry) => retries.push(retry) },
    )
    const { url } = await serve((request, response, count) => {
      if (count === 1) return void response.writeHead(429, { 'retry-after': '1' }).end()
      if (count === 2) return void response.socket?.destroy()
      sendRange(request, response, bytes, { etag: '"1"' })
    })
    const started = performance.now()
    expect((await patient.stat(url)).size).toBe(1000)
    expect(performance.now() - started).toBeGreaterThan(1000)
    expect(retries).toEqual([
      { scheme: 'http', reason: 'THROTTLING', retry: 1, delayMs: 1000 },
      { scheme: 'http', reason: 'TRANSIENT', retry: 2, delayMs: expect.any(Number) },
    ])
    await patient.close()
  })

  it('gives up on a server that is away', async () => {
    const { url, close } = await startOddServer(() => undefined)
    await close()
    const failure = await failureOf(() => store.stat(url))
    if (!StorageUnavailable.is(failure)) throw failure
    expect(failure.message).toContain('ECONNREFUSED')
    expect(failure.retryable).toBe(true)
  })

  it('takes no password and no text that is no address', async () => {
    const failure = await failureOf(() => store.stat('https://me:secret@host/x'))
    if (!BadUri.is(failure)) throw failure
    expect(JSON.stringify(failure)).not.toContain('secret')
    expect(BadUri.is(await failureOf(() => store.stat('https://')))).toBe(true)
  })
})

describe('addresses that are not public', () => {
  it.each([
    'http://127.0.0.1/x',
    'http://127.1/x',
    'http://2130706433/x',
    'http://0x7f000001/x',
    'http://0.0.0.0/x',
    'http://10.1.2.3/x',
    'http://172.16.0.1/x',
    'http://192.168.1.1/x',
    'http://169.254.169.254/latest/meta-data/',
    'http://100.64.0.1/x',
    'http://224.0.0.1/x',
    'http://255.255.255.255/x',
    'http://[::1]/x',
    'http://[::]/x',
    'http://[fe80::1]/x',
    'http://[fd00::1]/x',
    'http://[::ffff:127.0.0.1]/x',
    'http://[::ffff:7f00:1]/x',
    'http://[64:ff9b::7f00:1]/x',
    'http://[2002:7f00:1::]/x',
    'http://localhost/x',
  ])('are refused: %s', async (uri) => {
    const store = storeFor()
    const failure = await failureOf(() => store.stat(uri))
    if (!AddressRefused.is(failure)) throw failure
    expect(failure.remedy).toContain('STOKER_HTTP_PRIVATE')
    await store.close()
  })

  it('are refused behind a redirect too, and nothing is sent there', async () => {
    const secret = await startOddServer((_, response) => response.end('secret'))
    const { port } = secret
    const front = await startOddServer((_, response) => {
      response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end()
    })
    const store = storeFor('localhost')
    const failure = await failureOf(() => store.stat(`http://localhost:${front.port}/`))
    if (!AddressRefused.is(failure)) throw failure
    expect(front.asked).toHaveLength(1)
    expect(secret.asked).toEqual([])
    await store.close()
    await front.close()
    await secret.close()
  })

  it('are read where their name, address or network is allowed', async () => {
    const server = await startOddServer((request, response) =>
      sendRange(request, response, text('allowed'), { etag: '"1"' }),
    )
    for (const [host, allowed] of [
      ['localhost', 'localhost'],
      ['LOCALHOST', 'localhost'],
      ['127.0.0.1', '127.0.0.1'],
      ['127.0.0.1', '127.0.0.0/8'],
      ['localhost', '127.0.0.0/8'],
    ] as const) {
      const store = storeFor(allowed, '::1')
      expect((await store.stat(`http://${host}:${server.port}/`)).size).toBe(7)
      await store.close()
    }
    await server.close()
  })
})
