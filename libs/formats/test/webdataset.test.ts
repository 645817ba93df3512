import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { canStartS3, startS3 } from '@stoker/services'
import { SOURCES, type Source, type StokerError } from '@stoker/spec'
import { createStore, ShardChanged } from '@stoker/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPageCache } from '../src/page-cache.js'
import { SampleScanner } from '../src/tar/scanner.js'
import type { RecordFields } from '../src/types.js'
import { webdataset } from '../src/webdataset.js'
import {
  type Desk,
  deskOn,
  failureOf,
  fixture,
  golden,
  openDesk,
  readAll,
  readEach,
  scanInChunks,
  spelled,
} from './support.js'

type WebdatasetSource = Extract<Source, { type: 'webdataset' }>
type Sample = {
  readonly key: string
  readonly fields: Readonly<Record<string, readonly [bytes: number, sha256: string]>>
}
const GOLDEN = golden<{ name: string; tar: string; zstd?: string; samples: Sample[] }[]>('webdataset.json')
const tarOf = (name: string) => gunzipSync(Buffer.from(GOLDEN.find((one) => one.name === name)?.tar ?? '', 'base64'))

interface WdsCase {
  readonly id: string
  readonly expected: { readonly 'webdataset_1.0.2': Record<string, unknown> }
}
const cases = JSON.parse(fixture('cases/manifest.json').toString()) as WdsCase[]
type CaseSample = { readonly __key__: string } & Readonly<Record<string, { len: number; sha256: string }>>
const samplesOf = (listed: readonly CaseSample[]): Sample[] =>
  listed.map(({ __key__, ...fields }) => ({
    key: __key__,
    fields: Object.fromEntries(Object.entries(fields).map(([name, { len, sha256 }]) => [name, [len, sha256] as const])),
  }))

const source = (fields: WebdatasetSource['fields'], more: Partial<WebdatasetSource> = {}): WebdatasetSource => ({
  type: 'webdataset',
  files: 'not looked at here',
  fields,
  ...more,
})

/** Every extension that the samples have, as an optional field: "absent" is no content of a file here. */
const anyOf = (samples: readonly Sample[]) =>
  source(
    Object.fromEntries(
      [...new Set(['none', ...samples.flatMap(({ fields }) => Object.keys(fields))])]
        .filter((extension) => extension !== '')
        .map((extension) => [`f ${extension}`, { from: extension, default: 'absent' }]),
    ),
  )

function seen(record: RecordFields): Sample {
  const { __key__, ...fields } = record
  const bytes = (field: RecordFields[string] | undefined) => Buffer.from(field?.data as Uint8Array)
  return {
    key: bytes(__key__).toString(),
    fields: Object.fromEntries(
      Object.entries(fields)
        .map(([name, field]) => [name.slice(2), bytes(field)] as const)
        .filter(([, data]) => data.toString() !== 'absent')
        .map(([name, data]) => [name, [data.length, createHash('sha256').update(data).digest('hex')] as const]),
    ),
  }
}
const named = ({ key, fields }: Sample): Sample => ({
  key,
  fields: Object.fromEntries(Object.entries(fields).filter(([extension]) => extension !== '')),
})

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

describe('samples are those of webdataset 1.0.2', () => {
  it.each(GOLDEN)('$name', async ({ name, tar, samples }) => {
    const bytes = gunzipSync(Buffer.from(tar, 'base64'))
    const pin = await desk.put(`${name}.tar`, bytes)
    const records = await readAll(webdataset, pin, anyOf(samples), desk.context)
    expect(records.map(seen)).toEqual(samples.map(named))
  })

  it('names with dots in folders and in base names (case wds-h)', async () => {
    const { expected } = cases.find(({ id }) => id === 'wds-h') as WdsCase
    const samples = samplesOf(expected['webdataset_1.0.2'].samples as CaseSample[])
    expect(samples.map(({ key }) => key)).toEqual(['train.v1/0001', 'train.v1/0002', '22.0/1', 'a/b'])
    const pin = await desk.put('dots.tar', fixture('cases/files/wds/dots_in_names.tar'))
    expect((await readAll(webdataset, pin, anyOf(samples), desk.context)).map(seen)).toEqual(samples)
  })

  it('files of a key that stand apart are samples apart, and one extension twice is an error of its sample (case wds-h2)', async () => {
    const { expected } = cases.find(({ id }) => id === 'wds-h2') as WdsCase
    const apart = expected['webdataset_1.0.2'].not_contiguous_and_duplicate as { samples: CaseSample[]; error: string }
    const samples = samplesOf(apart.samples)
    const pin = await desk.put('apart.tar', fixture('cases/files/wds/not_contiguous_and_duplicate.tar'))
    const each = await readEach(webdataset, pin, anyOf(samples), desk.context)
    expect(each.slice(0, 4).map((one) => seen(one as RecordFields))).toEqual(samples)
    const last = each[4] as StokerError
    expect(apart.error).toContain('s/3.jpg: duplicate file name')
    expect(last.code).toBe('STK_WEBDATASET_TWICE')
    expect(last.message).toBe('sample "s/3" has two files with the extension jpg')
    expect(last.place).toMatchObject({ shard: pin.uri, record: 4 })
    expect(each.length).toBe(5)

    const both = await readEach(webdataset, pin, source(['jpg', 'cls']), desk.context)
    const [first] = both as StokerError[]
    expect(first?.message).toBe('sample "s/1" has no file cls; it has: jpg')
    expect(first?.place).toMatchObject({ shard: pin.uri, record: 0, field: 'cls' })
  })
})

describe('damage', () => {
  it('a cut shard gives the samples before the cut, then says so; half a file is never delivered (case wds-h2)', async () => {
    const bytes = fixture('cases/files/wds/cut_in_second_sample.tar')
    const pin = await desk.put('cut.tar', bytes)
    const each = await readEach(webdataset, pin, source(['jpg', 'cls']), desk.context)
    expect(each).toHaveLength(2)
    expect(Buffer.from((each[0] as RecordFields).__key__?.data as Uint8Array).toString()).toBe('t/1')
    expect((each[1] as StokerError).code).toBe('STK_TAR_TRUNCATED')
    expect((each[1] as StokerError).place).toMatchObject({ shard: pin.uri, record: 1 })
  })

  it('whatever is cut off, no sample is delivered that is not whole', async () => {
    // 0001: 4 blocks; 0002: 5 blocks; then zeros.
    const whole = tarOf('ustar')
    for (let bytes = 512; bytes < 9 * 512; bytes += 256) {
      const cut = new SampleScanner({ shard: 's', compression: 'NONE' })
      const located = scanInChunks(cut, whole.subarray(0, bytes), 100)
      if (bytes % 512 === 0 && [2, 4, 7].includes(bytes / 512)) {
        // Cut between two files: as a tar without its end mark, which webdataset reads too.
        expect(located.fault).toBeUndefined()
        continue
      }
      expect(located.fault?.code).toBe('STK_TAR_TRUNCATED')
      expect([...located.offsets]).toEqual(bytes >= 5 * 512 ? [0] : [])
    }
  })

  it('a damaged header ends the shard at the sample that it may belong to', async () => {
    const bytes = Buffer.from(tarOf('ustar'))
    bytes[7 * 512 + 10] = 7
    const pin = await desk.put('damaged.tar', bytes)
    const each = await readEach(webdataset, pin, source(['jpg', 'cls']), desk.context)
    expect(each).toHaveLength(2)
    expect((each[1] as StokerError).code).toBe('STK_TAR_HEADER')
    expect((each[1] as StokerError).message).toContain(`no readable tar header at byte ${7 * 512}`)
  })

  it('what is no tar is refused at once', async () => {
    const text = await desk.put('text.tar', Buffer.from('no tar at all, but long enough to be one. '.repeat(30)))
    const failure = await failureOf(() => webdataset.index(text, source(['jpg']), desk.context))
    expect(failure.code).toBe('STK_TAR_HEADER')
    const packed = await desk.put('packed.tar', gzipSync(tarOf('ustar')))
    const mistaken = source(['jpg'], { compression: 'NONE' })
    const refused = await failureOf(() => webdataset.index(packed, mistaken, desk.context))
    expect(refused.code).toBe('STK_COMPRESSION_SETTING')
  })
})

it('finds the same samples however the bytes come in', () => {
  for (const { tar } of GOLDEN) {
    const bytes = gunzipSync(Buffer.from(tar, 'base64'))
    const options = { shard: 's', compression: 'NONE' as const }
    const whole = scanInChunks(new SampleScanner(options), bytes, bytes.length || 1)
    for (const chunk of [1, 511, 512, 513, 1000]) {
      expect(scanInChunks(new SampleScanner(options), bytes, chunk)).toEqual(whole)
    }
  }
})

it('reads compressed shards, each sample by one range of the inflated copy', async () => {
  const tar = tarOf('pax long names')
  const zstd = Buffer.from(GOLDEN.find((one) => one.zstd)?.zstd ?? '', 'base64')
  const plain = await desk.put('long.tar', tar)
  const fields = source(['jpg'])
  const expected = await readAll(webdataset, plain, fields, desk.context)
  expect(expected).toHaveLength(2)
  for (const [name, packed] of [
    ['long.tar.gz', gzipSync(tar)],
    ['long.tar.zst', zstd],
  ] as const) {
    expect(await readAll(webdataset, await desk.put(name, packed), fields, desk.context)).toEqual(expected)
  }
  const index = await webdataset.index(plain, fields, desk.context)
  expect([...index.offsets]).toEqual([0, 4096])
  expect(index.offsets.every((offset) => offset % 512 === 0)).toBe(true)
})

describe('fields', () => {
  const put = (name: string, files: Record<string, string>) => {
    const blocks = Object.entries(files).map(([file, content]) => member(file, Buffer.from(content)))
    return desk.put(name, Buffer.concat([...blocks, Buffer.alloc(1024)]))
  }

  it('take the first extension that a sample has, numbers as text, and values in JSON', async () => {
    const pin = await put('typed.tar', {
      'a.PNG': 'png',
      'a.cls': ' 9007199254740993\n',
      'a.txt': 'ä',
      'a.json': '{"box": [1, 2.5], "name": "x", "id": 9007199254740993, "deep": {"on": true}}',
      'b.jpg': 'jpg',
      'b.cls': '-1',
      'b.score': '1e-3',
      'b.json': '{"box": [], "name": "", "id": 0}',
    })
    const fields = source({
      image: { from: ['jpg', 'png'] },
      cls: { dtype: 'int64' },
      score: { dtype: 'float32', default: 0.5 },
      caption: { from: 'txt', default: 'none' },
      box: { from: 'json', path: 'box', dtype: 'float32', shape: [null] },
      id: { from: 'json', path: ['id'], dtype: 'int64' },
      on: { from: 'json', path: 'deep.on', dtype: 'bool', default: false },
    })
    const records = await readAll(webdataset, pin, fields, desk.context)
    const all = records.map((record) =>
      Object.fromEntries(
        Object.entries(record).map(([name, field]) => [name, [field.dtype, field.shape, spelled(field)]]),
      ),
    )
    const base64 = (text: string) => [Buffer.from(text).toString('base64')]
    expect(all).toEqual([
      {
        __key__: ['string', [], base64('a')],
        image: ['string', [], base64('png')],
        cls: ['int64', [], ['9007199254740993']],
        score: ['float32', [], ['3f000000']],
        caption: ['string', [], base64('ä')],
        box: ['float32', [2], ['3f800000', '40200000']],
        id: ['int64', [], ['9007199254740993']],
        on: ['bool', [], [Buffer.of(1).toString('base64')]],
      },
      {
        __key__: ['string', [], base64('b')],
        image: ['string', [], base64('jpg')],
        cls: ['int64', [], ['-1']],
        score: ['float32', [], ['3a83126f']],
        caption: ['string', [], base64('none')],
        box: ['float32', [0], []],
        id: ['int64', [], ['0']],
        on: ['bool', [], [Buffer.of(0).toString('base64')]],
      },
    ])
  })

  it('are all files where all are asked for, with or without the name of the sample', async () => {
    const pin = await put('all.tar', { 'a.x': '1', 'a.Y.z': '2', 'b.x': '3' })
    const shown = (records: readonly RecordFields[]) =>
      records.map((record) =>
        Object.fromEntries(
          Object.entries(record).map(([name, { data }]) => [name, Buffer.from(data as Uint8Array).toString()]),
        ),
      )
    expect(shown(await readAll(webdataset, pin, source('all'), desk.context))).toEqual([
      { __key__: 'a', x: '1', 'y.z': '2' },
      { __key__: 'b', x: '3' },
    ])
    expect(shown(await readAll(webdataset, pin, source(['x'], { key: false }), desk.context))).toEqual([
      { x: '1' },
      { x: '3' },
    ])
    expect(SOURCES.webdataset.infer(source(['x'], { key: false }))).toEqual({ x: { dtype: 'string', shape: [] } })
    expect(() => SOURCES.webdataset.infer(source(['JPG']))).toThrow('write "JPG" as "jpg"')
  })

  it('that cannot be read are errors that name sample, file and field', async () => {
    const pin = await put('bad.tar', { 'a.cls': '3.5', 'a.json': '{"x": 1', 'a.txt': '[1]' })
    const messages: Record<string, WebdatasetSource['fields']> = {
      'sample "a", file cls: "3.5" is no int64': { label: { from: 'cls', dtype: 'int64' } },
      'sample "a", file json is no JSON': { x: { from: 'json', path: 'x' } },
      'sample "a" has no file jpg or png; it has: cls, json, txt': { image: { from: ['jpg', 'png'] } },
      'feature "y" is required but the line has none': { y: { from: 'txt', path: 'y' } },
    }
    for (const [message, fields] of Object.entries(messages)) {
      const failure = await failureOf(() => readAll(webdataset, pin, source(fields), desk.context))
      expect(failure.message).toContain(message)
      expect(failure.place).toMatchObject({ shard: pin.uri, record: 0, field: Object.keys(fields)[0] })
    }
    const whole = source({ x: { from: 'txt', path: [], dtype: 'int32', shape: [1] } })
    const [record] = await readAll(webdataset, pin, whole, desk.context)
    expect(record?.x).toEqual({ dtype: 'int32', shape: [1], data: Int32Array.of(1) })
  })
})

describe.skipIf(!(await canStartS3()))('on s3:', { timeout: 120_000 }, () => {
  it('gives the same samples, each by a range of its own', async () => {
    const server = await startS3()
    await server.bucket('data')
    const { url: endpoint, accessKeyId, secretAccessKey } = server
    const store = createStore({ fileRoots: [], s3: { endpoint, credentials: { accessKeyId, secretAccessKey } } })
    const remote = deskOn(store, 's3://data', () => store.close())
    await remote.put('wds/dots.tar', fixture('cases/files/wds/dots_in_names.tar'))
    await remote.put('wds/long.tar.gz', gzipSync(tarOf('pax long names')))
    const fields = source(['jpg'], { files: 's3://data/wds/*' })
    const [dots, long] = await webdataset.pin(fields, remote.context)
    if (!dots || !long) throw new Error('not listed')
    const own = await desk.put('dots again.tar', fixture('cases/files/wds/dots_in_names.tar'))
    const keys = source({ json: { default: '' } })
    expect(await readAll(webdataset, dots, keys, remote.context)).toEqual(
      await readAll(webdataset, own, keys, desk.context),
    )
    expect((await readAll(webdataset, long, fields, remote.context)).length).toBe(2)
    const index = await webdataset.index(dots, keys, remote.context)
    await store.write(dots.uri, new Uint8Array(dots.size))
    const failure = await failureOf(() =>
      webdataset.read(dots, index, keys, [3], { ...remote.context, pages: createPageCache(1 << 20) }),
    )
    expect(ShardChanged.is(failure)).toBe(true)
    await remote.close()
    await server.stop()
  })
})

/** A file in a ustar archive. */
function member(name: string, data: Buffer): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write('0000644\0', 100)
  header.write(`${data.length.toString(8).padStart(11, '0')}\0`, 124)
  header.write('00000000000\0', 136)
  header.write('        0', 148)
  header.write('ustar\u000000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, data, Buffer.alloc((512 - (data.length % 512)) % 512)])
}
