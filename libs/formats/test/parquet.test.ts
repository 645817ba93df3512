import { canStartS3, startS3 } from '@stoker/services'
import { type ParquetColumn, SOURCES, parquet as spec } from '@stoker/spec'
import { createStore, type ObjectStore, ShardChanged } from '@stoker/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPageCache } from '../src/page-cache.js'
import { type ParquetSource, parquet } from '../src/parquet.js'
import type { RecordFields, ShardPin } from '../src/types.js'
import { type Desk, deskOn, failureOf, fixture, golden, openDesk, readAll, readEach, spelled } from './support.js'

const GOLDEN = new Map(
  golden<{ column: string; rows: (string[] | null)[] }[]>('parquet.json').map(({ column, rows }) => [column, rows]),
)
const WRITERS = ['plain', 'snappy', 'gzip', 'brotli', 'zstd', 'lz4', 'encodings', 'pages']
const ROWS = 30
const GROUP_ROWS = 13

const sourceOf = (columns: Record<string, ParquetColumn>) => spec('not looked at here', columns) as ParquetSource
const COLUMNS: Record<string, ParquetColumn> = {
  i8: { dtype: 'int8' },
  i16: { dtype: 'int16' },
  i32: { dtype: 'int32' },
  i64: { dtype: 'int64' },
  u8: { dtype: 'uint8' },
  u16: { dtype: 'uint16' },
  u32: { dtype: 'int64' },
  f32: { dtype: 'float32' },
  f64: { dtype: 'float64' },
  flag: { dtype: 'bool' },
  text: { dtype: 'string' },
  raw: { dtype: 'string' },
  code: { dtype: 'string' },
  day: { dtype: 'int32' },
  at: { dtype: 'int64' },
  ids: { dtype: 'int64', shape: [null] },
  box: { dtype: 'float32', shape: [2] },
  tags: { dtype: 'string', shape: [null] },
}

/** Elements as the golden file spells them: small whole numbers and bools lie in byte arrays. */
function values(field: RecordFields[string] | undefined): string[] {
  if (!field) throw new Error('no field')
  return field.dtype === 'uint8' || field.dtype === 'bool'
    ? Array.from(field.data as Uint8Array, String)
    : spelled(field)
}

let desk: Desk
const pins = new Map<string, ShardPin>()
beforeAll(async () => {
  desk = await openDesk()
  for (const name of [...WRITERS, 'empty'])
    pins.set(name, await desk.put(`${name}.parquet`, fixture(`golden/parquet/${name}.parquet`)))
})
afterAll(() => desk.close())
const pinOf = (name: string) => pins.get(name) as ShardPin

describe.each(WRITERS)('a file of pyarrow, %s', (name) => {
  it('gives the values of pyarrow', async () => {
    const source = sourceOf(COLUMNS)
    const records = await readAll(parquet, pinOf(name), source, desk.context)
    expect(records).toHaveLength(ROWS)
    const signature = SOURCES.parquet.infer(source)
    for (const [column, { dtype, shape = [] }] of Object.entries(COLUMNS)) {
      expect(
        records.map((record) => values(record[column])),
        column,
      ).toEqual(GOLDEN.get(column))
      expect(signature[column]).toEqual({ dtype, shape })
      for (const record of records) {
        expect(record[column]?.dtype).toBe(dtype)
        expect(record[column]?.shape).toHaveLength(shape.length)
      }
    }
  })

  it('gives defaults for nulls, and without one names row and column', async () => {
    const rows = GOLDEN.get('maybe') ?? []
    const filled = await readAll(
      parquet,
      pinOf(name),
      sourceOf({ n: { column: 'maybe', dtype: 'int32', default: -1 } }),
      desk.context,
    )
    expect(filled.map(({ n }) => values(n))).toEqual(rows.map((row) => row ?? ['-1']))
    const each = await readEach(parquet, pinOf(name), sourceOf({ maybe: { dtype: 'int64' } }), desk.context)
    expect(each.map((one) => (one instanceof Error ? null : values(one.maybe)))).toEqual(rows)
    const failure = each[15] as Error & { place?: unknown; code?: string }
    expect(failure.code).toBe('STK_PARQUET_NULL')
    expect(failure.message).toContain('row 15: "maybe" is null')
    expect(failure.place).toMatchObject({ shard: pinOf(name).uri, record: 15, field: 'maybe' })

    const lists = sourceOf({ maybes: { dtype: 'int32', shape: [null], default: [] } })
    const given = await readAll(parquet, pinOf(name), lists, desk.context)
    expect(given.map(({ maybes }) => values(maybes))).toEqual((GOLDEN.get('maybes') ?? []).map((row) => row ?? []))
    const holes = sourceOf({ holes: { dtype: 'int32', shape: [null], default: [7] } })
    const holed = await readEach(parquet, pinOf(name), holes, desk.context)
    expect(holed.map((one) => (one instanceof Error ? null : values(one.holes)))).toEqual(GOLDEN.get('holes'))
  })
})

it('converts only where every value is kept', async () => {
  const messageOf = async (columns: Record<string, ParquetColumn>) =>
    (await failureOf(() => parquet.index(pinOf('plain'), sourceOf(columns), desk.context))).message
  expect(await messageOf({ f64: { dtype: 'float32' } })).toContain('column "f64" is double and asked as float32')
  expect(await messageOf({ x: { column: 'i32', dtype: 'float32' } })).toContain(
    'column "i32" is int32 and asked as float32',
  )
  expect(await messageOf({ text: { dtype: 'int64' } })).toContain('is utf8 and asked as int64')
  expect(await messageOf({ ids: { dtype: 'int64' } })).toContain('is list of int64 and asked as int64')
  expect(await messageOf({ i8: { dtype: 'int8', shape: [null] } })).toContain('is int8 and asked as a list of int8')
  expect(await messageOf({ price: { dtype: 'float64' } })).toContain('is decimal(30, 2) and asked as float64')
  expect(await messageOf({ pair: { dtype: 'string' } })).toContain('is struct and asked as string')
  expect(await messageOf({ none: { dtype: 'string' } })).toMatch(/has no column "none"; it has: i8, i16, /)
  const wide = await readAll(
    parquet,
    pinOf('plain'),
    sourceOf({ f32: { dtype: 'float64' }, u8: { dtype: 'int64' } }),
    desk.context,
  )
  expect(wide.map(({ u8 }) => values(u8))).toEqual(GOLDEN.get('u8'))
  const rounded = wide.map(({ f32 }) =>
    spelled({ dtype: 'float32', shape: [], data: Float32Array.from(f32?.data as Float64Array) }),
  )
  expect(rounded).toEqual(GOLDEN.get('f32'))
  const narrow = await readEach(parquet, pinOf('plain'), sourceOf({ u16: { dtype: 'uint8' } }), desk.context)
  const small = (GOLDEN.get('u16') ?? []).map((row) => (Number(row?.[0]) < 256 ? row : null))
  expect(narrow.map((one) => (one instanceof Error ? null : values(one.u16)))).toEqual(small)
  const big = await readEach(parquet, pinOf('plain'), sourceOf({ u64: { dtype: 'int64' } }), desk.context)
  expect(big.map((one) => (one instanceof Error ? one.message : values(one.u64)))).toEqual(
    Array.from({ length: ROWS }, (_, row) => {
      const value = 2n ** 63n - 3n + BigInt(row)
      return row < 3 ? [String(value)] : expect.stringContaining(`"u64" is ${value}, which is no int64`)
    }),
  )
  const boxes = await readEach(parquet, pinOf('plain'), sourceOf({ ids: { dtype: 'int64', shape: [3] } }), desk.context)
  expect(boxes.filter((one) => !(one instanceof Error))).toHaveLength(
    (GOLDEN.get('ids') ?? []).filter((row) => row?.length === 3).length,
  )
})

/** The same store, with the ranges that are read of it. */
function watched(store: ObjectStore): { store: ObjectStore; ranges: [offset: number, length: number][] } {
  const ranges: [number, number][] = []
  const read: ObjectStore['read'] = (uri, range, options) => {
    ranges.push([range.offset, range.length])
    return store.read(uri, range, options)
  }
  return {
    ranges,
    store: new Proxy(store, { get: (target, key) => (key === 'read' ? read : Reflect.get(target, key)) }),
  }
}

it('fetches the columns asked for only, and each row group once, in any order of records', async () => {
  const { store, ranges } = watched(desk.store)
  const context = { ...desk.context, store, pages: createPageCache(1 << 20) }
  const pin = pinOf('plain')
  const source = sourceOf({ i64: { dtype: 'int64' }, again: { column: 'i64', dtype: 'int64' } })
  const index = await parquet.index(pin, source, context)
  expect(index.count).toBe(ROWS)
  ranges.length = 0
  const asked = [29, 3, 17, 3, 14, 0]
  const records = await parquet.read(pin, index, source, asked, context)
  expect(records.map(({ i64 }) => values(i64))).toEqual(asked.map((record) => GOLDEN.get('i64')?.[record]))
  expect(records.map(({ again }) => again)).toEqual(records.map(({ i64 }) => i64))
  expect(ranges).toHaveLength(Math.ceil(ROWS / GROUP_ROWS))
  for (const [, length] of ranges) expect(length).toBeLessThan(400)
  await Promise.all([1, 2, 13].map((record) => parquet.read(pin, index, source, [record], context)))
  expect(ranges).toHaveLength(3)
  for (const record of [-1, ROWS]) {
    const failure = await failureOf(() => parquet.read(pin, index, source, [record], context))
    expect(failure.code).toBe('STK_RECORD_UNKNOWN')
  }
})

it('shows all columns that it can read, where all are asked for, each as it is', async () => {
  const records = await readAll(parquet, pinOf('zstd'), { ...sourceOf({}), columns: 'all' }, desk.context)
  for (const column of ['i8', 'u32', 'f32', 'text', 'at', 'ids', 'tags', 'maybe', 'maybes', 'holes']) {
    const rows = records.map((record) => (record[column] ? values(record[column]) : null))
    expect(rows, column).toEqual(GOLDEN.get(column))
  }
  expect(records[0]).not.toHaveProperty('price')
  expect(records[0]).not.toHaveProperty('pair')
})

it('reads a file without rows', async () => {
  const index = await parquet.index(pinOf('empty'), sourceOf({ i64: { dtype: 'int64' } }), desk.context)
  expect(index.count).toBe(0)
})

it('says that a file is damaged, cut or no Parquet, and which', async () => {
  const whole = fixture('golden/parquet/snappy.parquet')
  const source = sourceOf({ text: { dtype: 'string' }, i64: { dtype: 'int64' } })
  const damaged: [string, Uint8Array][] = [
    ['cut', whole.subarray(0, whole.length - 100)],
    ['short', whole.subarray(0, 5)],
    ['none', new Uint8Array(0)],
    ['text', Buffer.from('no parquet at all')],
    [
      'huge-footer',
      Buffer.concat([whole.subarray(0, whole.length - 8), Buffer.of(255, 255, 255, 127), Buffer.from('PAR1')]),
    ],
    ['footer', Buffer.concat([whole.subarray(0, -3000), Buffer.alloc(2992, 0xff), whole.subarray(-8)])],
  ]
  for (const [name, bytes] of damaged) {
    const pin = await desk.put(`damaged-${name}.parquet`, bytes)
    const failure = await failureOf(() => parquet.index(pin, source, desk.context))
    expect(failure.code, name).toBe('STK_PARQUET_BROKEN')
    expect(failure.place?.shard).toBe(pin.uri)
  }
  const pages = Buffer.from(whole)
  pages.fill(0x55, 4, 8000)
  const pin = await desk.put('damaged-pages.parquet', pages)
  const failure = await failureOf(() => readAll(parquet, pin, source, desk.context))
  expect(failure.code).toBe('STK_PARQUET_BROKEN')
  expect(failure.retryable).toBe(false)
})

it('notices a file that was written anew', async () => {
  const source = sourceOf({ i64: { dtype: 'int64' } })
  const pin = await desk.put('moving.parquet', fixture('golden/parquet/plain.parquet'))
  const index = await parquet.index(pin, source, desk.context)
  await desk.put('moving.parquet', fixture('golden/parquet/snappy.parquet'))
  const failure = await failureOf(() => parquet.read(pin, index, source, [0], desk.context))
  expect(ShardChanged.is(failure)).toBe(true)
})

describe.skipIf(!(await canStartS3()))('on s3:', { timeout: 120_000 }, () => {
  it('reads the same', async () => {
    const server = await startS3()
    await server.bucket('data')
    const { url: endpoint, accessKeyId, secretAccessKey } = server
    const store = createStore({ fileRoots: [], s3: { endpoint, credentials: { accessKeyId, secretAccessKey } } })
    const remote = deskOn(store, 's3://data', () => store.close())
    await remote.put('t/zstd.parquet', fixture('golden/parquet/zstd.parquet'))
    const source = { ...sourceOf(COLUMNS), files: 's3://data/t/*.parquet' }
    const [pin] = await parquet.pin(source, remote.context)
    expect(await readAll(parquet, pin as ShardPin, source, remote.context)).toEqual(
      await readAll(parquet, pinOf('zstd'), source, desk.context),
    )
    await remote.close()
    await server.stop()
  })
})
