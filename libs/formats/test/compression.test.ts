import { createHash } from 'node:crypto'
import { deflateSync, gzipSync } from 'node:zlib'
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { canStartS3, startS3 } from '@stoker/services'
import { createStore } from '@stoker/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { packingOf } from '../src/compression/detect.js'
import { inflate } from '../src/compression/inflate.js'
import { startsFrame } from '../src/tfrecord/sniff.js'
import { writeTfrecord } from '../src/tfrecord/write.js'
import { type TfrecordSource, tfrecord } from '../src/tfrecord.js'
import { DEFAULT_LIMITS, type FormatLimits } from '../src/types.js'
import { type Desk, deskOn, failureOf, fixture, golden, openDesk, readAll } from './support.js'

interface GoldenZstd {
  readonly what: string
  readonly packed: string
  readonly bytes: number | null
  readonly sha256: string | null
}

async function* portions(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function inflated(
  packed: Uint8Array,
  chunkBytes: number,
  limits: FormatLimits = DEFAULT_LIMITS,
): Promise<Buffer> {
  const scanner = { push: () => undefined, placeAt: (offset: number) => ({ shard: 's', record: 0, offset }) }
  const options = { shard: 's', packing: 'ZSTD', limits, scanner, isPlain: () => false } as const
  const parts: Uint8Array[] = []
  for await (const part of inflate(portions(packed, chunkBytes), options)) parts.push(part)
  return Buffer.concat(parts)
}

const zstd = golden<GoldenZstd[]>('zstd.json').map((one) => ({ ...one, packed: Buffer.from(one.packed, 'base64') }))
const sound = zstd.filter(({ bytes }) => bytes !== null)

describe.each([1, 3, 65_536])('ZSTD in chunks of %i', (chunkBytes) => {
  it.each(sound)('$what', async ({ packed, bytes, sha256 }) => {
    const out = await inflated(packed, chunkBytes)
    expect(out).toHaveLength(bytes ?? -1)
    expect(createHash('sha256').update(out).digest('hex')).toBe(sha256)
  })

  it.each([
    ['dictionary', 'it needs a dictionary'],
    ['large window', 'window of 268435456 bytes'],
    ['reserved block', 'a block of a reserved type'],
    ['content that does not match its checksum', 'does not match its checksum'],
  ])('%s is refused', async (what, text) => {
    const { packed } = zstd.find((one) => one.what === what)!
    const error = await failureOf(() => inflated(packed, chunkBytes))
    expect(error).toMatchObject({ code: 'STK_INFLATE_CORRUPT', message: expect.stringContaining(text) })
  })
})

describe('ZSTD streams that are cut or damaged', () => {
  const { packed } = zstd.find(({ what }) => what === 'two frames')!

  it('are cut at every byte but the seam of two frames', async () => {
    let whole = 0
    for (let end = 1; end < packed.length; end += 1) {
      const outcome = await inflated(packed.subarray(0, end), 65_536).then(
        () => 'whole',
        ({ code }) => String(code),
      )
      if (outcome === 'whole') whole++
      else expect(outcome).toBe('STK_INFLATE_TRUNCATED')
    }
    expect(whole).toBe(1)
  })

  it('never pass where there is a checksum', async () => {
    const { packed } = zstd.find(({ what }) => what === 'raw blocks')!
    for (let at = 5; at < packed.length; at += 37) {
      const damaged = Buffer.from(packed)
      damaged[at] = (damaged[at] ?? 0) ^ 0x10
      expect((await failureOf(() => inflated(damaged, 65_536))).code).toMatch(/^STK_INFLATE_(CORRUPT|TRUNCATED)$/)
    }
  })

  it('are stopped when they inflate without bound', async () => {
    const { packed } = zstd.find(({ what }) => what === 'repeated byte')!
    const limits = { ...DEFAULT_LIMITS, maxInflatedBytes: 100_000 }
    expect((await failureOf(() => inflated(packed, 65_536, limits))).code).toBe('STK_INFLATE_LIMIT')
  })
})

describe('what the first bytes tell of a TFRecord shard', () => {
  const shard = writeTfrecord([Buffer.alloc(5000, 'x')])
  const packing = (bytes: Uint8Array) => packingOf(bytes, true, startsFrame)

  it('is its compression', () => {
    expect([shard, gzipSync(shard), deflateSync(shard), sound[0]!.packed].map(packing)).toEqual([
      'NONE',
      'GZIP',
      'ZLIB',
      'ZSTD',
    ])
  })

  it('is not taken from a length that looks like the head of a compressed stream', () => {
    // 0x0178, 0x8b1f, 0x5e78 and 0x9c78 as little-endian lengths are the first bytes of zlib and gzip streams.
    for (const length of [0x0178, 0x8b1f, 0x5e78, 0x9c78]) {
      expect(packing(writeTfrecord([Buffer.alloc(length)]))).toBe('NONE')
    }
  })
})

type Setting = NonNullable<TfrecordSource['compression']>
const auto = (compression?: Setting): TfrecordSource => ({
  type: 'tfrecord',
  files: 'x',
  ...(compression ? { compression } : {}),
})
const SIX = [34, 34, 39, 44, 49, 54]

describe('shards whose name or metadata says otherwise', () => {
  let desk: Desk
  beforeAll(async () => {
    desk = await openDesk()
  })
  afterAll(() => desk.close())

  it.each([
    'gz/gzip_under_plain_name.tfrecord',
    'gz/plain_under_gz_name.tfrecord.gz',
    'gz/two_members_cut_in_record3.tfrecord.gz',
    'gz/zero_padded.tfrecord.gz',
  ])('%s reads whole without a setting', async (file) => {
    const records = await readAll(tfrecord, await desk.put(file, fixture(`cases/files/${file}`)), auto(), desk.context)
    expect(records.map(({ record }) => record?.data.length)).toEqual(SIX)
  })

  it('a ZSTD shard reads whole', async () => {
    const { packed } = zstd.find(({ what }) => what === 'TFRecord shard of two frames')!
    for (const source of [auto(), auto('ZSTD')]) {
      const records = await readAll(tfrecord, await desk.put('shard.zst', packed), source, desk.context)
      expect(records.map(({ record }) => record?.data.length)).toEqual(SIX)
    }
  })

  it('a plain shard set to ZSTD says so', async () => {
    const pin = await desk.put('plain', writeTfrecord([Buffer.from('one')]))
    expect(await failureOf(() => tfrecord.index(pin, auto('ZSTD'), desk.context))).toMatchObject({
      code: 'STK_COMPRESSION_SETTING',
      remedy: "set compression: 'NONE', or leave it out",
    })
  })
})

describe.skipIf(!(await canStartS3()))('s3-gzenc-h: an object stored with Content-Encoding', () => {
  let desk: Desk
  let client: S3Client
  beforeAll(async () => {
    const server = await startS3()
    await server.bucket('data')
    const { accessKeyId, secretAccessKey, url: endpoint, region } = server
    const credentials = { accessKeyId, secretAccessKey }
    client = new S3Client({ endpoint, region, credentials, forcePathStyle: true })
    const store = createStore({ fileRoots: [], s3: { endpoint, credentials } })
    desk = deskOn(store, 's3://data/shards', async () => {
      client.destroy()
      await store.close()
      await server.stop()
    })
  })
  afterAll(() => desk?.close())

  it.each<[string, string | undefined, Setting | undefined]>([
    ['gzip, found by its bytes', 'gzip', undefined],
    ['gzip, as set', 'gzip', 'GZIP'],
    ['nothing, found by its bytes', undefined, undefined],
    ['nothing, as set', undefined, 'GZIP'],
  ])('of %s', async (what, ContentEncoding, compression) => {
    const Key = `shards/${what.replaceAll(/\W/g, '-')}.tfrecord.gz`
    const Body = fixture('cases/files/gz/two_members_cut_in_record3.tfrecord.gz')
    await client.send(
      new PutObjectCommand({ Bucket: 'data', Key, Body, ...(ContentEncoding ? { ContentEncoding } : {}) }),
    )
    const pin = await desk.store.stat(`s3://data/${Key}`)
    // Ranges count stored bytes.
    expect(pin.size).toBe(Body.length)
    const range = { offset: 10, length: 20 }
    expect(Buffer.from(await desk.store.read(pin.uri, range)).equals(Body.subarray(10, 30))).toBe(true)
    const records = await readAll(tfrecord, pin, auto(compression), desk.context)
    expect(records.map(({ record }) => record?.data.length)).toEqual(SIX)
  })

  it('gzip, which a store has unpacked', async () => {
    const { gunzipSync } = await import('node:zlib')
    const Body = gunzipSync(fixture('cases/files/gz/two_members_cut_in_record3.tfrecord.gz'))
    await client.send(new PutObjectCommand({ Bucket: 'data', Key: 'unpacked.gz', Body, ContentEncoding: 'gzip' }))
    const records = await readAll(tfrecord, await desk.store.stat('s3://data/unpacked.gz'), auto(), desk.context)
    expect(records.map(({ record }) => record?.data.length)).toEqual(SIX)
  })
})
