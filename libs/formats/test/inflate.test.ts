import { deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { inflate } from '../src/compression/inflate.js'
import type { Packing } from '../src/compression/sniff.js'
import { FrameScanner } from '../src/tfrecord/frame.js'
import { startsFrame } from '../src/tfrecord/sniff.js'
import { writeTfrecord } from '../src/tfrecord/write.js'
import { DEFAULT_LIMITS } from '../src/types.js'
import { failureOf, fixture } from './support.js'

const records = Array.from({ length: 40 }, (_, at) => Buffer.alloc(at * 37, at))
const shard = writeTfrecord(records)
const half = Buffer.from(shard.subarray(0, 5000))
const rest = Buffer.from(shard.subarray(5000))

async function* inChunks(bytes: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}

const optionsOf = (packing: Packing, scanner: FrameScanner) =>
  ({ shard: 's', packing, limits: DEFAULT_LIMITS, scanner, isPlain: startsFrame }) as const

async function inflateAll(source: AsyncIterable<Uint8Array>, compression: Packing) {
  const scanner = new FrameScanner({ shard: 's', compression })
  const parts: Uint8Array[] = []
  for await (const part of inflate(source, optionsOf(compression, scanner))) parts.push(part)
  return { bytes: Buffer.concat(parts), count: scanner.count }
}

describe.each([1, 7, 29, 65_536])('inflating chunks of %i bytes', (chunkBytes) => {
  it.each([
    ['one member', gzipSync(shard), 'GZIP'],
    ['two members', Buffer.concat([gzipSync(half), gzipSync(rest)]), 'GZIP'],
    ['an empty member between', Buffer.concat([gzipSync(half), gzipSync(''), gzipSync(rest)]), 'GZIP'],
    ['zero padding', Buffer.concat([gzipSync(shard), Buffer.alloc(600)]), 'GZIP'],
    ['ZLIB', deflateSync(shard), 'ZLIB'],
    ['ZLIB with zero padding', Buffer.concat([deflateSync(shard), Buffer.alloc(5)]), 'ZLIB'],
  ] as const)('%s gives every byte and every record', async (_, packed, compression) => {
    const { bytes, count } = await inflateAll(inChunks(packed, chunkBytes), compression)
    expect(bytes.equals(Buffer.from(shard))).toBe(true)
    expect(count).toBe(records.length)
  })

  it.each([
    ['cut in the stream', gzipSync(shard).subarray(0, 300), 'STK_INFLATE_TRUNCATED'],
    ['cut in the trailer', gzipSync(shard).subarray(0, -1), 'STK_INFLATE_TRUNCATED'],
    [
      'cut in the second header',
      Buffer.concat([gzipSync(shard), gzipSync(rest).subarray(0, 4)]),
      'STK_INFLATE_TRUNCATED',
    ],
    [
      'padding, then another member',
      Buffer.concat([gzipSync(half), Buffer.alloc(9), gzipSync(rest)]),
      'STK_INFLATE_CORRUPT',
    ],
    ['junk after the end', Buffer.concat([gzipSync(shard), Buffer.from('junk')]), 'STK_INFLATE_CORRUPT'],
  ] as const)('%s is refused', async (_, packed, code) => {
    expect((await failureOf(() => inflateAll(inChunks(packed, chunkBytes), 'GZIP'))).code).toBe(code)
  })

  it('reads the seam inside a record', async () => {
    const file = fixture('cases/files/gz/two_members_cut_in_record3.tfrecord.gz')
    expect((await inflateAll(inChunks(file, chunkBytes), 'GZIP')).count).toBe(6)
  })
})

it('passes on the failure of its source', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield gzipSync(shard).subarray(0, 100)
    throw new Error('connection reset')
  }
  await expect(inflateAll(failing(), 'GZIP')).rejects.toThrow('connection reset')
})

it('closes its source when the reader stops early', async () => {
  let isClosed = false
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      const member = gzipSync(writeTfrecord([Buffer.alloc(500_000)]))
      for (;;) yield member
    } finally {
      isClosed = true
    }
  }
  const scanner = new FrameScanner({ shard: 's', compression: 'GZIP' })
  for await (const _ of inflate(endless(), optionsOf('GZIP', scanner))) break
  expect(isClosed).toBe(true)
})
