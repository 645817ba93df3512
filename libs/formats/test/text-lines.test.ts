import { createHash } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LineScanner } from '../src/lines/scanner.js'
import { type TextLinesSource, textLines } from '../src/text-lines.js'
import {
  type Desk,
  failureOf,
  fixture,
  golden,
  inChunks,
  openDesk,
  readAll,
  readEach,
  scanInChunks,
} from './support.js'

interface GoldenText {
  readonly what: string
  readonly data: string | null
  readonly tf: (string | number)[]
}

const source: TextLinesSource = { type: 'textLines', files: 'not looked at here' }
const CHUNKS = [1, 3, 7, 65_536]

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

let puts = 0
async function linesOf(bytes: Uint8Array, context = desk.context, from = source): Promise<Buffer[]> {
  const records = await readAll(textLines, await desk.put(`text-${puts++}`, bytes), from, context)
  return records.map(({ line }) => Buffer.from(line?.data as Uint8Array))
}

describe('reading lines as TensorFlow does', () => {
  it.each(golden<GoldenText[]>('text-lines.json'))('$what', async ({ data, tf }) => {
    const bytes = data === null ? Buffer.from(`${'x'.repeat(300_000)}\ny`) : Buffer.from(data, 'base64')
    const lines = await linesOf(bytes)
    expect(data === null ? lines.map(({ length }) => length) : lines.map((line) => line.toString('base64'))).toEqual(tf)
  })

  it.each(golden<GoldenText[]>('text-lines.json').filter(({ data }) => data))(
    '$what, wherever the bytes are cut',
    ({ data }) => {
      const bytes = Buffer.from(data ?? '', 'base64')
      const scan = (chunkBytes: number) =>
        scanInChunks(new LineScanner('s', { isBlank: (byte) => byte === 13, skips: 'blank tail' }), bytes, chunkBytes)
      for (const chunkBytes of CHUNKS) expect(scan(chunkBytes)).toEqual(scan(bytes.length))
    },
  )
})

interface TextCase {
  readonly id: string
  readonly file: string
  readonly expected: { tf_lines: string[]; count: number; sha256_of_lines_each_with_LF: string }
}
const caseOf = (id: string) => golden<TextCase[]>('../cases/manifest.json').find((one) => one.id === id)!

describe('cases met by other people', () => {
  it.each(['text-h1', 'text-h2', 'text-h3'])('%s', async (id) => {
    const { file, expected } = caseOf(id)
    const lines = await linesOf(fixture(`cases/${file}`))
    expect(lines.map((line) => `base64:${line.toString('base64')}`)).toEqual(expected.tf_lines)
  })

  it.each(CHUNKS)('gz-multi-h2: three GZIP members cut in a character, in chunks of %i', async (chunkBytes) => {
    const { file, expected } = caseOf('gz-multi-h2')
    const store = inChunks(desk.store, chunkBytes)
    const context = { ...desk.context, store, scratch: `${desk.base}/scratch-${chunkBytes}` }
    const lines = await linesOf(fixture(`cases/${file}`), context)
    expect(lines).toHaveLength(expected.count)
    const sha256 = createHash('sha256').update(Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')])))
    expect(sha256.digest('hex')).toBe(expected.sha256_of_lines_each_with_LF)
  })
})

describe('finding the compression', () => {
  const text = Buffer.from(Array.from({ length: 5000 }, (_, line) => `line ${line}: größe 😀\n`).join(''))

  it.each([
    ['GZIP', gzipSync(text)],
    ['GZIP of two members', Buffer.concat([gzipSync(text.subarray(0, 999)), gzipSync(text.subarray(999))])],
    ['ZLIB', deflateSync(text)],
    ['ZLIB of the lowest level', deflateSync(text, { level: 0 })],
    ['ZLIB of the highest level', deflateSync(text, { level: 9 })],
    ['no compression', text],
  ])('reads %s', async (_, bytes) => {
    expect(Buffer.concat((await linesOf(bytes)).flatMap((line) => [line, Buffer.from('\n')])).equals(text)).toBe(true)
  })

  it.each(['x^2 + y^2\n', 'x^2 + y^2\n'.repeat(9000), '80,1\n', 'H\x89abc\n', 'hi', '(\xb5', '8O'])(
    'takes text that starts like a compressed stream for text: %j',
    async (text) => {
      const bytes = Buffer.from(text, 'latin1')
      const lines = bytes
        .toString('latin1')
        .split('\n')
        .filter((line) => line !== '')
      expect((await linesOf(bytes)).map((line) => line.toString('latin1'))).toEqual(lines)
    },
  )

  it('reads small streams', async () => {
    for (const pack of [gzipSync, deflateSync]) {
      expect((await linesOf(pack('a\nb\n'))).map(String)).toEqual(['a', 'b'])
      expect(await linesOf(pack(''))).toEqual([])
    }
  })

  it('keeps to the setting where there is one', async () => {
    const plain = { ...source, compression: 'NONE' } as const
    expect(Buffer.concat(await linesOf(gzipSync('a'), desk.context, plain)).subarray(0, 2)).toEqual(
      Buffer.from([31, 139]),
    )
    const error = await failureOf(() =>
      linesOf(Buffer.from('plain text\n'), desk.context, { ...source, compression: 'GZIP' }),
    )
    expect(error).toMatchObject({ code: 'STK_COMPRESSION_SETTING', remedy: "set compression: 'NONE', or leave it out" })
  })

  it('says that a stream is damaged, after the lines before', async () => {
    const packed = gzipSync(text)
    const pin = await desk.put('cut.gz', packed.subarray(0, packed.length - 2000))
    const each = await readEach(textLines, pin, source, desk.context)
    expect(each.length).toBeGreaterThan(3000)
    expect(each.slice(0, -1).every((one) => 'line' in one)).toBe(true)
    expect(each.at(-1)).toMatchObject({ code: 'STK_INFLATE_TRUNCATED', place: { record: each.length - 1 } })
    const twice = await readEach(textLines, pin, source, { ...desk.context, scratch: `${desk.base}/other` })
    expect(twice).toHaveLength(each.length)
  })

  it('takes bytes of an unknown kind as they are', async () => {
    expect((await linesOf(brotliCompressSync('a\nb\n'))).length).toBeGreaterThan(0)
  })
})

it('refuses a line past the limit and reads its neighbours', async () => {
  const pin = await desk.put('huge', Buffer.from(`a\n${'x'.repeat(2000)}\nb`))
  const context = { ...desk.context, limits: { maxRecordBytes: 1000 } }
  const [a, error, b] = await readEach(textLines, pin, source, context)
  expect(error).toMatchObject({ code: 'STK_RECORD_TOO_LONG', place: { shard: pin.uri, record: 1, offset: 2 } })
  expect([a, b]).toEqual(
    ['a', 'b'].map((text) => ({ line: { dtype: 'string', shape: [], data: new Uint8Array(Buffer.from(text)) } })),
  )
})

it('reads the asked lines in the asked order', async () => {
  const pin = await desk.put('order', Buffer.from('a\n\nccc\nd'))
  const index = await textLines.index(pin, source, desk.context)
  const lines = await textLines.read(pin, index, source, [3, 0, 1, 3], desk.context)
  expect(lines.map(({ line }) => Buffer.from(line?.data as Uint8Array).toString())).toEqual(['d', 'a', '', 'd'])
  const error = await failureOf(() => textLines.read(pin, index, source, [4], desk.context))
  expect(error.code).toBe('STK_RECORD_UNKNOWN')
})
