import { mkdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { inspect } from 'node:util'
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { canStartS3, freePort } from '@stoker/services'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  AccessDenied,
  BadUri,
  BucketMissing,
  NoCredentials,
  ObjectMissing,
  PathBlocked,
  ShardChanged,
  StorageFailed,
  StorageUnavailable,
  TruncatedBody,
} from '../src/error-table.js'
import type { ObjectStore } from '../src/object-store.js'
import { RETRIES } from '../src/retry.js'
import { createStore } from '../src/store.js'
import { failureOf, numberedBytes, s3Backend, s3StoreAt, text } from './backends.js'
import { type FaultProxy, startFaultProxy } from './fault-proxy.js'

const MIB = 1024 * 1024

describe.skipIf(!(await canStartS3()))('s3:', { timeout: 120_000 }, () => {
  let backend: Awaited<ReturnType<typeof s3Backend>>
  let proxy: FaultProxy
  /** Goes through the proxy. */
  let store: ObjectStore
  let client: S3Client

  beforeAll(async () => {
    backend = await s3Backend()
    proxy = await startFaultProxy(backend.server.url)
    store = s3StoreAt(backend.server, proxy.url)
    const { url, region, accessKeyId, secretAccessKey } = backend.server
    client = new S3Client({
      endpoint: url,
      region,
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
    })
  }, 300_000)
  afterAll(async () => {
    client?.destroy()
    await store?.close()
    await proxy?.close()
    await backend?.close()
  })
  afterEach(() => {
    proxy.onRequest(() => undefined)
    vi.unstubAllEnvs()
  })

  describe('refusals', () => {
    it('names the object and the reason of a 403, and asks once', async () => {
      const { server } = backend
      await backend.store.write('s3://data/secret', text('x'))
      const stranger = s3StoreAt({ ...server, secretAccessKey: 'wrong' }, proxy.url)
      const calls: [string, () => Promise<unknown>][] = [
        ['read s3://data/secret (SignatureDoesNotMatch)', () => stranger.readAll('s3://data/secret')],
        ['read s3://data/secret (HTTP 403)', () => stranger.stat('s3://data/secret')],
        ['list s3://data/ (SignatureDoesNotMatch)', () => stranger.list('s3://data/*')],
        ['write s3://data/new (SignatureDoesNotMatch)', () => stranger.write('s3://data/new', text('x'))],
        ['remove s3://data/secret (SignatureDoesNotMatch)', () => stranger.remove('s3://data/secret')],
      ]
      for (const [what, call] of calls) {
        proxy.onRequest(() => undefined)
        const failure = await failureOf(call)
        if (!AccessDenied.is(failure)) throw failure
        expect(failure.message).toBe(`no permission to ${what}`)
        expect(failure.retryable).toBe(false)
        expect(failure.status).toBe(403)
        // What the server and the SDK know of a request includes its signature; none of it may reach a log.
        expect(inspect(failure, { depth: 20, showHidden: true })).not.toMatch(/Signature=|AWS4-HMAC|authorization/i)
        expect(proxy.seen).toHaveLength(1)
      }
      await stranger.close()
    })

    it('tells a missing bucket from a missing object, and asks once', async () => {
      proxy.onRequest(() => undefined)
      const failure = await failureOf(() => store.readAll('s3://no-such-bucket/x'))
      expect(BucketMissing.is(failure)).toBe(true)
      expect(BucketMissing.is(await failureOf(() => store.list('s3://no-such-bucket/*')))).toBe(true)
      expect(ObjectMissing.is(await failureOf(() => store.readAll('s3://data/no-such-object')))).toBe(true)
      expect(proxy.seen).toHaveLength(3)
    })

    it('says which setting is missing where there are no credentials', async () => {
      for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_PROFILE']) vi.stubEnv(name, undefined)
      for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/no/such/file')
      vi.stubEnv('AWS_EC2_METADATA_DISABLED', 'true')
      const nobody = createStore({ fileRoots: [], s3: { endpoint: backend.server.url } })
      const failure = await failureOf(() => nobody.stat('s3://data/x'))
      if (!NoCredentials.is(failure)) throw failure
      expect(failure.remedy).toContain('AWS_ACCESS_KEY_ID')
      await nobody.close()
    })

    it('takes credentials from the AWS chain', async () => {
      vi.stubEnv('AWS_ACCESS_KEY_ID', backend.server.accessKeyId)
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', backend.server.secretAccessKey)
      const chained = createStore({ fileRoots: [], s3: { endpoint: backend.server.url } })
      await chained.write('s3://data/chained', text('x'))
      expect((await chained.stat('s3://data/chained')).size).toBe(1)
      await chained.close()
    })

    it('refuses a name that lies below an object', async () => {
      await backend.store.write('s3://data/blocked', text('x'))
      const failure = await failureOf(() => store.write('s3://data/blocked/below', text('y')))
      expect(PathBlocked.is(failure)).toBe(true)
    })

    it('refuses a bucket in place of an object', async () => {
      expect(BadUri.is(await failureOf(() => store.stat('s3://data')))).toBe(true)
      expect(BadUri.is(await failureOf(() => store.write('s3://data/', text('x'))))).toBe(true)
    })
  })

  it('lists 1005 objects over several pages, without folder markers', async () => {
    const names = Array.from({ length: 1005 }, (_, index) => `many/shard-${String(index).padStart(5, '0')}`)
    // The server's objects are files; made as files, these take a moment instead of a thousand requests.
    const folder = join(backend.server.dir, 'data/data/many')
    await mkdir(folder)
    await Promise.all(names.map((name) => writeFile(join(folder, basename(name)), name)))
    await client.send(new PutObjectCommand({ Bucket: 'data', Key: 'many/marker/', ContentLength: 0 }))
    proxy.onRequest(() => undefined)
    for (const found of [
      await store.list('s3://data/many/*'),
      await store.list('s3://data/many/**'),
      await store.walk('s3://data/many'),
    ]) {
      expect(found.map(({ uri }) => uri)).toEqual(names.map((name) => `s3://data/${name}`))
    }
    expect(proxy.seen).toHaveLength(6)
  })

  describe('faults on the way', () => {
    const bytes = numberedBytes(5 * MIB)
    let etag: string
    /** ETag of an object that may be read without a signature. */
    let openEtag: string
    const uri = 's3://data/object'
    beforeAll(async () => {
      ;({ etag } = await backend.store.write(uri, bytes))
      await backend.server.bucket('open')
      const anybodyReads = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::open/*' }
      const Policy = JSON.stringify({ Version: '2012-10-17', Statement: [anybodyReads] })
      await client.send(new PutBucketPolicyCommand({ Bucket: 'open', Policy }))
      openEtag = (await backend.store.write('s3://open/x', numberedBytes(1000))).etag
    })

    it('tries a range again whose body was cut short', async () => {
      proxy.onRequest((_, count) => (count <= 2 ? { cutAfter: 1000 * count } : undefined))
      const read = await store.read(uri, { offset: 77, length: MIB }, { etag })
      expect(Buffer.compare(read, bytes.subarray(77, 77 + MIB))).toBe(0)
      expect(proxy.seen).toEqual(
        Array(3).fill(expect.objectContaining({ range: `bytes=77-${76 + MIB}`, ifMatch: `"${etag}"` })),
      )
    })

    it('takes a stream up where it broke, pinned to the version it began with', async () => {
      proxy.onRequest((_, count) => (count <= 2 ? { cutAfter: MIB } : undefined))
      const pieces: Uint8Array[] = []
      for await (const piece of store.stream(uri)) pieces.push(piece)
      expect(Buffer.compare(Buffer.concat(pieces), bytes)).toBe(0)
      expect(proxy.seen.map(({ range, ifMatch }) => [range, ifMatch])).toEqual([
        [undefined, undefined],
        [`bytes=${MIB}-${5 * MIB - 1}`, `"${etag}"`],
        [`bytes=${2 * MIB}-${5 * MIB - 1}`, `"${etag}"`],
      ])
    })

    it('does not mix two versions in a stream that broke', async () => {
      const { uri } = await backend.store.write('s3://data/moving', numberedBytes(3 * MIB))
      proxy.onRequest((_, count) => (count === 1 ? { cutAfter: MIB } : undefined))
      let isReplaced = false
      const failure = await failureOf(async () => {
        for await (const _ of store.stream(uri)) {
          if (!isReplaced) await backend.store.write(uri, new Uint8Array(3 * MIB))
          isReplaced = true
        }
      })
      expect(ShardChanged.is(failure)).toBe(true)
    })

    it('gives up on a body that is always cut short, and says so', async () => {
      proxy.onRequest(() => ({ cutAfter: 500 }))
      const failure = await failureOf(() => store.read(uri, { offset: 0, length: 1000 }))
      if (!TruncatedBody.is(failure)) throw failure
      expect(failure.message).toBe(`${uri}: 1000 bytes asked, 500 came`)
      expect(failure.retryable).toBe(true)
      expect(proxy.seen).toHaveLength(1 + RETRIES.TRUNCATED.retries)
    })

    it.each([
      [503, 'SlowDown'],
      [500, 'InternalError'],
      [429, 'TooManyRequests'],
    ])('asks again after HTTP %d %s', async (status, code) => {
      proxy.onRequest((_, count) => (count <= 2 ? { status, code } : undefined))
      expect(await store.read(uri, { offset: 0, length: 100 })).toEqual(bytes.slice(0, 100))
      expect(proxy.seen).toHaveLength(3)
      proxy.onRequest((_, count) => (count <= 1 ? { status, code } : undefined))
      await store.write('s3://data/retried', numberedBytes(9 * MIB))
      expect((await backend.store.stat('s3://data/retried')).size).toBe(9 * MIB)
    })

    it('says that the server cannot be reached, after all its tries', async () => {
      const away = s3StoreAt(backend.server, `http://127.0.0.1:${await freePort()}`)
      const failure = await failureOf(() => away.stat(uri))
      if (!StorageUnavailable.is(failure)) throw failure
      expect(failure.message).toContain('ECONNREFUSED')
      expect(failure.retryable).toBe(true)
      await away.close()
    })

    it('stops waiting for the next try when the signal is aborted', async () => {
      const reason = new Error('cancelled')
      const midway = new AbortController()
      proxy.onRequest((_, count) => {
        if (count === 3) midway.abort(reason)
        return { status: 503, code: 'SlowDown' }
      })
      expect(await failureOf(() => store.readAll(uri, { signal: midway.signal }))).toBe(reason)
      expect(proxy.seen).toHaveLength(3)
    })

    it('notices a changed object on a server that ignores If-Match', async () => {
      proxy.onRequest(() => ({ without: ['if-match'] }))
      const failure = await failureOf(() =>
        store.read('s3://open/x', { offset: 0, length: 10 }, { etag: 'pinned-etag' }),
      )
      if (!ShardChanged.is(failure)) throw failure
      expect(failure.message).toBe(`s3://open/x changed: pinned as ETag pinned-etag, now ${openEtag}`)
      expect(proxy.seen).toHaveLength(1)
    })

    it('does not take the whole object for the range it asked for', async () => {
      proxy.onRequest(() => ({ without: ['range'] }))
      const failure = await failureOf(() => store.read('s3://open/x', { offset: 10, length: 10 }))
      if (!StorageFailed.is(failure)) throw failure
      expect(failure.message).toContain('ignores the byte range')
    })

    it('removes the parts of an upload that failed', async () => {
      async function* failing() {
        yield new Uint8Array(20 * MIB)
        throw new Error('the source broke')
      }
      await failureOf(() => store.write('s3://data/half', failing()))
      const { Uploads } = await client.send(new ListMultipartUploadsCommand({ Bucket: 'data' }))
      expect(Uploads ?? []).toEqual([])
      // The check above would see one: this upload is listed.
      await client.send(new CreateMultipartUploadCommand({ Bucket: 'data', Key: 'seen' }))
      expect((await client.send(new ListMultipartUploadsCommand({ Bucket: 'data' }))).Uploads).toHaveLength(1)
    })
  })

  it('reads the stored bytes of an object that claims a Content-Encoding', async () => {
    const stored = numberedBytes(1000)
    await client.send(
      new PutObjectCommand({
        Bucket: 'data',
        Key: 'x.gz',
        Body: stored,
        ContentEncoding: 'gzip',
        ContentType: 'text/plain',
      }),
    )
    expect(await store.readAll('s3://data/x.gz')).toEqual(stored)
    expect(await store.read('s3://data/x.gz', { offset: 500, length: 9 })).toEqual(stored.slice(500, 509))
    expect((await store.stat('s3://data/x.gz')).size).toBe(1000)
  })

  it('stores the content type', async () => {
    await store.write('s3://data/page', text('{}'), { contentType: 'application/json' })
    const answer = await client.send(new GetObjectCommand({ Bucket: 'data', Key: 'page' }))
    expect(answer.ContentType).toBe('application/json')
    await answer.Body?.transformToByteArray()
  })
})
