import { createHash } from 'node:crypto'
import { canStartS3 } from '@stoker/services'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AlreadyExists, BadUri, NoMatch, ObjectMissing, RangeOutside, ShardChanged } from '../src/error-table.js'
import { compareUtf8, type ObjectStore } from '../src/object-store.js'
import { type Backend, failureOf, fileBackend, numberedBytes, s3Backend, text } from './backends.js'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const MIB = 1024 * 1024

const backends: [string, () => Promise<Backend>][] = [['file:', fileBackend]]
if (await canStartS3()) backends.push(['s3:', s3Backend])

// The first start of the S3 server on a machine builds it, which takes a minute.
describe.each(backends)('ObjectStore on %s', { timeout: 120_000 }, (_name, start) => {
  let backend: Backend
  let store: ObjectStore
  let folder = 0
  /** A folder of its own for each test. */
  let base: string
  const fresh = () => {
    base = `${backend.base}/t${folder++}`
    return base
  }
  const put = (name: string, body: Uint8Array = text(name)) => store.write(`${base}/${name}`, body)
  const listed = async (pattern: string) => (await store.list(`${base}/${pattern}`)).map(nameOf)
  const nameOf = ({ uri }: { uri: string }) => uri.slice(base.length + 1)

  beforeAll(async () => {
    backend = await start()
    store = backend.store
  }, 300_000)
  afterAll(() => backend?.close())

  describe('reading', () => {
    it('gives back what was written, with the same size and ETag from write, stat and list', async () => {
      fresh()
      const written = await put('a/b.bin', numberedBytes(1000))
      expect(written).toEqual({ uri: `${base}/a/b.bin`, size: 1000, etag: expect.stringMatching(/^[^"]+$/) })
      expect(await store.stat(written.uri)).toEqual(written)
      expect(await store.list(`${base}/a/*`)).toEqual([written])
      expect(await store.readAll(written.uri)).toEqual(numberedBytes(1000))
    })

    it('reads exactly the range asked for, into memory of its own', async () => {
      fresh()
      const bytes = numberedBytes(100_003)
      const { uri, etag } = await put('x', bytes)
      for (const [offset, length] of [
        [0, 1],
        [0, 100_003],
        [1, 4096],
        [65_535, 3],
        [100_002, 1],
        [100_003, 0],
        [5, 0],
      ] as const) {
        const read = await store.read(uri, { offset, length }, { etag })
        expect(read).toEqual(bytes.slice(offset, offset + length))
        expect(read.buffer.byteLength).toBe(length)
      }
    })

    it.each([
      [90, 11],
      [100, 1],
      [101, 0],
      [1000, 10],
      [-1, 5],
      [0, -1],
    ])('refuses %d+%d bytes of 100', async (offset, length) => {
      fresh()
      const { uri } = await put('x', numberedBytes(100))
      const failure = await failureOf(() => store.read(uri, { offset, length }))
      if (!RangeOutside.is(failure)) throw failure
      expect(failure.message).toContain('it has 100')
      expect(failure.retryable).toBe(false)
      expect(failure.place?.shard).toBe(uri)
    })

    it('reads many ranges at once', async () => {
      fresh()
      const bytes = numberedBytes(300_000)
      const { uri, etag } = await put('x', bytes)
      const offsets = Array.from({ length: 300 }, (_, index) => (index * 7919) % 290_000)
      const reads = await Promise.all(offsets.map((offset) => store.read(uri, { offset, length: 5000 }, { etag })))
      reads.forEach((read, index) => {
        expect(Buffer.compare(read, bytes.subarray(offsets[index], offsets[index]! + 5000))).toBe(0)
      })
    })

    it('reads an empty object', async () => {
      fresh()
      const { uri, size } = await put('empty', new Uint8Array(0))
      expect(size).toBe(0)
      expect(await store.readAll(uri)).toEqual(new Uint8Array(0))
      expect(await listed('*')).toEqual(['empty'])
    })

    it('streams the whole object, and leaves nothing busy when the reader stops early', async () => {
      fresh()
      const bytes = numberedBytes(3 * MIB + 5)
      const { uri, etag } = await put('x', bytes)
      const hash = createHash('sha256')
      for await (const piece of store.stream(uri, { etag })) hash.update(piece)
      expect(hash.digest('hex')).toBe(sha256(bytes))
      // More early ends than the client has connections.
      for (let round = 0; round < 150; round++) {
        for await (const piece of store.stream(uri)) {
          expect(piece.length).toBeGreaterThan(0)
          break
        }
      }
      expect(await store.read(uri, { offset: 0, length: 8 })).toEqual(bytes.slice(0, 8))
    })

    it('names both ETags when the object is not the pinned one', async () => {
      fresh()
      const old = await put('x', text('the first version'))
      const now = await put('x', text('another version!!'))
      expect(now.etag).not.toBe(old.etag)
      const { uri } = old
      const pin = { etag: old.etag }
      const reads = [
        () => store.read(uri, { offset: 0, length: 3 }, pin),
        () => store.read(uri, { offset: 0, length: 0 }, pin),
        () => store.readAll(uri, pin),
        async () => {
          for await (const _ of store.stream(uri, pin));
        },
      ]
      for (const read of reads) {
        const failure = await failureOf(read)
        if (!ShardChanged.is(failure)) throw failure
        expect(failure.message).toContain(old.etag)
        expect(failure.message).toContain(now.etag)
        expect(failure.place).toEqual({ shard: uri })
        expect(failure.retryable).toBe(false)
      }
      expect(await store.readAll(uri, { etag: now.etag })).toEqual(text('another version!!'))
    })

    it('says which object is missing', async () => {
      fresh()
      const uri = `${base}/no/such`
      const reads = [
        () => store.stat(uri),
        () => store.read(uri, { offset: 0, length: 1 }),
        () => store.readAll(uri),
        () => store.read(uri, { offset: 0, length: 0 }, { etag: 'x' }),
        async () => {
          for await (const _ of store.stream(uri));
        },
      ]
      for (const read of reads) {
        const failure = await failureOf(read)
        if (!ObjectMissing.is(failure)) throw failure
        expect(failure.toJSON()).toEqual({
          code: 'STK_STORAGE_MISSING',
          message: `${uri} does not exist`,
          place: { shard: uri },
          retryable: false,
        })
      }
    })

    it('does not take a folder for an object', async () => {
      fresh()
      await put('folder/x')
      expect(ObjectMissing.is(await failureOf(() => store.stat(`${base}/folder`)))).toBe(true)
      expect(NoMatch.is(await failureOf(() => store.list(`${base}/folder`)))).toBe(true)
    })

    it('ends with the reason of the signal', async () => {
      fresh()
      const { uri } = await put('x', numberedBytes(4 * MIB))
      const reason = new Error('the job was cancelled')
      const aborted = { signal: AbortSignal.abort(reason) }
      expect(await failureOf(() => store.read(uri, { offset: 0, length: 1 }, aborted))).toBe(reason)
      expect(await failureOf(() => store.readAll(uri, aborted))).toBe(reason)
      expect(await failureOf(() => store.stat(uri, aborted))).toBe(reason)
      const midway = new AbortController()
      const failure = await failureOf(async () => {
        for await (const _ of store.stream(uri, { signal: midway.signal })) midway.abort(reason)
      })
      expect(failure).toBe(reason)
    })
  })

  describe('listing', () => {
    it('matches patterns as tf.io.gfile.glob does, and ** and braces', async () => {
      fresh()
      for (const name of [
        'train-0.rec',
        'train-1.rec',
        'train-10.rec',
        'val-0.rec',
        'deep/train-2.rec',
        'deep/er/train-3.rec',
      ]) {
        await put(name)
      }
      expect(await listed('train-*.rec')).toEqual(['train-0.rec', 'train-1.rec', 'train-10.rec'])
      expect(await listed('train-?.rec')).toEqual(['train-0.rec', 'train-1.rec'])
      expect(await listed('train-[1-9]*')).toEqual(['train-1.rec', 'train-10.rec'])
      expect(await listed('[!t]*-0.rec')).toEqual(['val-0.rec'])
      expect(await listed('*/*.rec')).toEqual(['deep/train-2.rec'])
      expect(await listed('{train,val}-0.rec')).toEqual(['train-0.rec', 'val-0.rec'])
      expect(await listed('{val-*,deep/*}')).toEqual(['deep/train-2.rec', 'val-0.rec'])
      expect(await listed('**/train-[23].rec')).toEqual(['deep/er/train-3.rec', 'deep/train-2.rec'])
      expect(await listed('deep/**')).toEqual(['deep/er/train-3.rec', 'deep/train-2.rec'])
      expect(await listed('val-0.rec')).toEqual(['val-0.rec'])
    })

    it.each(['nothing-*', 'no/such/*', 'x', '[z]', 'a/'])(
      'names the pattern %s when nothing matches it',
      async (pattern) => {
        fresh()
        await put('a/b')
        const failure = await failureOf(() => store.list(`${base}/${pattern}`))
        if (!NoMatch.is(failure)) throw failure
        expect(failure.message).toBe(`nothing matches ${base}/${pattern}`)
      },
    )

    it('prefers an object that has the pattern for its name', async () => {
      fresh()
      for (const name of ['x[1].rec', 'x1.rec', 'y*', 'yy']) await put(name)
      expect(await listed('x[1].rec')).toEqual(['x[1].rec'])
      expect(await listed('y*')).toEqual(['y*'])
      expect(await listed('x\\[*')).toEqual(['x[1].rec'])
    })

    it('keeps every character of a name', async () => {
      fresh()
      const names = [
        ...[
          'a b',
          ' lead',
          'plus+plus',
          '100%',
          '%20',
          '%2F',
          'ü',
          'u\u0308',
          '漢字',
          '😀',
          'a&b<c>"d\'',
          'p (1)',
          'q#r?s=t',
        ],
        ...["it's", 'a,b;c', '!$@^`|~', 'back\\slash', '{brace}', '[set]', '=', ':', '..a', 'tab\tin'],
      ]
      for (const name of names) await put(name, text(`content of ${name}`))
      expect((await store.walk(base)).map(nameOf).sort()).toEqual([...names].sort())
      expect((await listed('*')).sort()).toEqual([...names].sort())
      for (const name of names) {
        expect(await store.readAll(`${base}/${name}`)).toEqual(text(`content of ${name}`))
        expect(await listed(name)).toEqual([name])
        await store.remove(`${base}/${name}`)
      }
      expect(await store.walk(base)).toEqual([])
    })

    it('sorts by the UTF-8 bytes of the names', async () => {
      fresh()
      // UTF-16 order would put the emoji (a surrogate pair) before the full-width tilde.
      const sorted = ['A', 'B/c', 'B0', 'a', 'é', '～', '😀']
      for (const name of sorted.toReversed()) await put(name)
      expect(await listed('**')).toEqual(sorted)
      expect((await store.walk(base)).map(nameOf)).toEqual(sorted)
    })

    it('compares names as their bytes compare', () => {
      const names = ['', 'a', 'ab', 'b', 'é', '\ud7ff', '\ue000', '～', '😀', '😀a', '😁', 'a😀', 'a～']
      for (const a of names) {
        for (const b of names) expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)))
      }
    })

    it('writes a URI as listings do', async () => {
      const { uri } = await store.write(`${base}/tidy/x`, text('x'))
      expect(await store.canonical(`${base}/tidy/x`)).toBe(uri)
    })

    it('walks a folder at any depth, not its neighbours of a longer name', async () => {
      fresh()
      for (const name of ['run1/a', 'run1/b/c', 'run10/x', 'run1.txt']) await put(name)
      expect((await store.walk(`${base}/run1`)).map(nameOf)).toEqual(['run1/a', 'run1/b/c'])
      expect((await store.walk(`${base}/run1/`)).map(nameOf)).toEqual(['run1/a', 'run1/b/c'])
      expect(await store.walk(`${base}/run2`)).toEqual([])
    })
  })

  describe('writing', () => {
    it('writes views of larger buffers', async () => {
      fresh()
      const whole = numberedBytes(100)
      const { uri } = await put('view', whole.subarray(10, 20))
      expect(await store.readAll(uri)).toEqual(whole.slice(10, 20))
    })

    it.each([0, 1, 8 * MIB, 8 * MIB + 1, 20 * MIB + 3])('writes %d bytes, whole or in odd pieces', async (length) => {
      fresh()
      const bytes = numberedBytes(length)
      async function* pieces() {
        for (let at = 0; at < length; at += 999_983) yield bytes.subarray(at, at + 999_983)
        yield new Uint8Array(0)
      }
      for (const body of [bytes, pieces()]) {
        const written = await store.write(`${base}/x`, body)
        expect(written.size).toBe(length)
        expect(await store.stat(written.uri)).toEqual(written)
        expect(sha256(await store.readAll(written.uri, { etag: written.etag }))).toBe(sha256(bytes))
      }
    })

    it('replaces an object in one step: readers see the old or the new one, whole', async () => {
      fresh()
      const version = (value: number) => new Uint8Array(256 * 1024).fill(value)
      const { uri } = await put('x', version(0))
      let isWriting = true
      const writing = (async () => {
        for (let value = 1; value <= 20; value++) await store.write(uri, version(value))
        isWriting = false
      })()
      let reads = 0
      while (isWriting) {
        const read = await store.readAll(uri)
        expect(read.length).toBe(256 * 1024)
        expect(Buffer.compare(read, version(read[0]!))).toBe(0)
        reads++
      }
      await writing
      expect(reads).toBeGreaterThan(3)
    })

    it('lets exactly one of many writers create an object', async () => {
      fresh()
      const uri = `${base}/lease`
      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, (_, writer) => store.write(uri, text(`writer ${writer}`), { ifAbsent: true })),
      )
      const winners = outcomes.flatMap((outcome, writer) => (outcome.status === 'fulfilled' ? [writer] : []))
      expect(winners).toHaveLength(1)
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(AlreadyExists.is(outcome.reason)).toBe(true)
      }
      expect(await store.readAll(uri)).toEqual(text(`writer ${winners[0]}`))
    })

    it('creates a large object only where there is none', async () => {
      fresh()
      const uri = `${base}/large`
      const bytes = numberedBytes(9 * MIB)
      await store.write(uri, bytes, { ifAbsent: true })
      expect(
        AlreadyExists.is(await failureOf(() => store.write(uri, numberedBytes(10 * MIB), { ifAbsent: true }))),
      ).toBe(true)
      expect((await store.stat(uri)).size).toBe(9 * MIB)
    })

    it.each([3, 9 * MIB])('leaves the old object when its source fails after %d bytes', async (bytes) => {
      fresh()
      const { uri } = await put('x', text('old'))
      const reason = new Error('the source broke')
      async function* failing() {
        yield new Uint8Array(bytes)
        throw reason
      }
      expect(await failureOf(() => store.write(uri, failing()))).toBe(reason)
      expect(await store.readAll(uri)).toEqual(text('old'))
      expect((await store.walk(base)).map(nameOf)).toEqual(['x'])
    })

    it('leaves the old object when it is aborted midway', async () => {
      fresh()
      const { uri } = await put('x', text('old'))
      const reason = new Error('shutting down')
      const midway = new AbortController()
      async function* endless() {
        for (let piece = 0; ; piece++) {
          if (piece === 12) midway.abort(reason)
          yield new Uint8Array(MIB)
        }
      }
      expect(await failureOf(() => store.write(uri, endless(), { signal: midway.signal }))).toBe(reason)
      expect(await store.readAll(uri)).toEqual(text('old'))
      expect((await store.walk(base)).map(nameOf)).toEqual(['x'])
    })

    it('removes an object, and again', async () => {
      fresh()
      const { uri } = await put('a/x')
      await store.remove(uri)
      await store.remove(uri)
      await store.remove(`${base}/never/was`)
      expect(ObjectMissing.is(await failureOf(() => store.stat(uri)))).toBe(true)
    })

    it('refuses to write to the name of a folder', async () => {
      fresh()
      expect(BadUri.is(await failureOf(() => store.write(`${base}/x/`, text('x'))))).toBe(true)
    })
  })
})
