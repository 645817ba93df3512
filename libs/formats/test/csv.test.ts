import type { CsvColumn } from '@stoker/spec'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dialectOf } from '../src/csv/cells.js'
import { RowScanner } from '../src/csv/scanner.js'
import { type CsvSource, csv } from '../src/csv.js'
import { nearestFloat32 } from '../src/numbers/float32.js'
import { type ParsedType, parseNumber } from '../src/numbers/parse-number.js'
import type { RecordFields } from '../src/types.js'
import { type Desk, failureOf, fixture, golden, openDesk, readEach, scanInChunks, spelled } from './support.js'

interface GoldenTable {
  readonly what: string
  readonly data: string
  readonly columns: { readonly dtype: CsvColumn['dtype']; readonly default?: number | string }[]
  readonly options: {
    readonly header?: boolean
    readonly na_value?: string
    readonly field_delim?: string
    readonly use_quote_delim?: boolean
    readonly select_cols?: number[]
  }
  readonly tf: (string[] | string)[]
}

const named = (at: number) => `c${at}`

function sourceOf({ what, columns, options }: GoldenTable): CsvSource {
  // TensorFlow gives types of the selected columns only; the table "selected" has one more between them.
  const declared = what === 'selected' ? [columns[0]!, { dtype: 'string' as const }, columns[1]!] : columns
  return {
    type: 'csv',
    files: 'not looked at here',
    columns: declared.map((column, at) => ({
      name: options.header ? (['id', 'text'][at] ?? '') : named(at),
      ...column,
    })),
    header: options.header ?? false,
    ...(options.na_value === undefined ? {} : { naValue: options.na_value }),
    ...(options.field_delim === undefined ? {} : { fieldDelim: options.field_delim }),
    ...(options.use_quote_delim === undefined ? {} : { useQuoteDelim: options.use_quote_delim }),
    ...(options.select_cols === undefined ? {} : { selectCols: options.select_cols.map(named) }),
  }
}

const CODES: [RegExp, string[]][] = [
  // An empty line is a row of one cell: here its width is what is wrong.
  [/is required but missing/, ['STK_CSV_EMPTY', 'STK_CSV_WIDTH']],
  [/Expect \d+ fields/, ['STK_CSV_WIDTH']],
  [/quote/, ['STK_CSV_QUOTES']],
  [/not a valid/, ['STK_CSV_CELL']],
]

let desk: Desk
beforeAll(async () => {
  desk = await openDesk()
})
afterAll(() => desk.close())

let puts = 0
const rowsOf = async (bytes: Uint8Array, source: CsvSource) =>
  readEach(csv, await desk.put(`table-${puts++}.csv`, bytes), source, desk.context)

const cellsOf = (row: RecordFields): string[] => Object.values(row).flatMap(spelled)

const tables = golden<GoldenTable[]>('csv.json')

describe('reading tables as TensorFlow does', () => {
  it.each(tables)('$what', async (table) => {
    // TensorFlow takes the name of the wrong column for one; here a header must have the columns that are asked for.
    const header = table.what === 'header with a line end in quotes' ? 'te\nxt' : 'text'
    const source = sourceOf(table)
    const columns = source.columns.map((column) => (column.name === 'text' ? { ...column, name: header } : column))
    const rows = await rowsOf(Buffer.from(table.data, 'base64'), { ...source, columns })
    expect(rows).toHaveLength(table.tf.length)
    for (const [at, row] of rows.entries()) {
      const tf = table.tf[at] ?? []
      if (typeof tf === 'string') {
        expect(CODES.find(([text]) => text.test(tf))?.[1]).toContain((row as { code: string }).code)
        expect(row).toMatchObject({ place: { shard: expect.any(String), record: at, offset: expect.any(Number) } })
      } else expect(cellsOf(row as RecordFields)).toEqual(tf)
    }
  })

  it.each(tables)('$what: the same rows wherever the bytes are cut', (table) => {
    const bytes = Buffer.from(table.data, 'base64')
    const source = sourceOf(table)
    const scan = (chunkBytes: number) =>
      scanInChunks(new RowScanner('s', dialectOf(source), source.header ?? true), bytes, chunkBytes)
    for (const chunkBytes of [1, 3, 65_536]) expect(scan(chunkBytes)).toEqual(scan(bytes.length))
  })
})

describe('reading numbers as TensorFlow does', () => {
  const numbers = golden<{ dtype: ParsedType; text: string; tf: string | null }[]>('numbers.json')
  it.each(numbers)('"$text" as $dtype', ({ dtype, text, tf }) => {
    const value = parseNumber(text, dtype)
    if (value === undefined || tf === null) expect(value ?? null).toBe(tf)
    else if (typeof value === 'bigint') expect(String(value)).toBe(tf)
    else {
      const data = { int32: Int32Array, float32: Float32Array, float64: Float64Array, int64: Float64Array }[dtype].of(
        value,
      )
      expect(spelled({ dtype, shape: [1], data })).toEqual([tf])
    }
  })

  it('rounds a decimal beside the middle of two float32 once', () => {
    for (const [text, expected] of [
      ['1.000000059604644775390625', 1],
      ['1.0000000596046447753906250000000000000000001', 1 + 2 ** -23],
      ['1.0000000596046447753906249999999999999999999', 1],
      ['-1.0000000596046447753906250000000000000000001', -1 - 2 ** -23],
      ['0.1', Math.fround(0.1)],
    ] as const) {
      expect(nearestFloat32(text)).toBe(expected)
    }
  })
})

describe('cases met by other people', () => {
  const table: CsvSource = {
    type: 'csv',
    files: 'x',
    columns: [
      { name: 'id', dtype: 'int64' },
      { name: 'text', dtype: 'string', default: '' },
      { name: 'w', dtype: 'float32' },
    ],
  }
  const text = (row: unknown) => Buffer.from((row as RecordFields).text?.data as Uint8Array).toString()

  it('csv-h: BOM, line ends and commas in quotes, doubled quotes, an empty quoted cell, no final newline', async () => {
    const rows = await rowsOf(fixture('cases/files/csv/bom_quoted_newline.csv'), table)
    expect(
      rows.map((row) => [...spelled((row as RecordFields).id!), text(row), ...spelled((row as RecordFields).w!)]),
    ).toEqual([
      ['1', 'line one\r\nline two, with comma', '3f000000'],
      ['2', 'say "hi"', '3fa00000'],
      ['3', '', 'bb03126f'],
      ['4', 'plain é', '40e00000'],
    ])
  })

  it('csv-h: refuses the empty cell where its column has no default, as TensorFlow does', async () => {
    const columns = table.columns.map(({ default: _, ...column }) => column)
    const rows = await rowsOf(fixture('cases/files/csv/bom_quoted_newline.csv'), { ...table, columns })
    expect(rows.map((row) => 'code' in row && row.code)).toEqual([false, false, 'STK_CSV_EMPTY', false])
    expect(rows[2]).toMatchObject({ place: { record: 2, field: 'text' }, message: expect.stringContaining('row 4') })
  })

  const pair = { type: 'csv', files: 'x', header: false } as const
  const columns: CsvColumn[] = [
    { name: 'a', dtype: 'int64' },
    { name: 'b', dtype: 'float32' },
  ]
  it.each([
    ['question_mark', ['STK_CSV_CELL'], 'b'],
    ['too_many', ['STK_CSV_WIDTH'], undefined],
    ['too_few', ['STK_CSV_WIDTH'], undefined],
    ['blank_line', [['1', '40000000'], 'STK_CSV_WIDTH', ['3', '40800000']], undefined],
    ['open_quote', ['STK_CSV_QUOTES'], undefined],
    ['int64_overflow', ['STK_CSV_CELL'], 'a'],
  ])('csv-h2: %s', async (name, expected, field) => {
    const rows = await rowsOf(fixture(`cases/files/csv/bad/${name}.csv`), { ...pair, columns })
    expect(rows.map((row) => ('code' in row ? row.code : cellsOf(row as RecordFields)))).toEqual(expected)
    const bad = rows.find((row) => 'code' in row)
    expect(bad).toMatchObject({ place: { record: expected.findIndex((one) => typeof one === 'string') } })
    if (field) expect(bad).toMatchObject({ place: { field } })
  })

  it('nan-h: an empty cell is an error of its record, NaN is a value', async () => {
    const source: CsvSource = {
      type: 'csv',
      files: 'x',
      columns: [
        { name: 'x', dtype: 'float32' },
        { name: 'y', dtype: 'int64' },
      ],
    }
    const header = fixture('cases/files/csv/missing_values.csv').toString().split(/\r?\n/)[0]?.split(',') ?? []
    const named = { ...source, columns: source.columns.map((column, at) => ({ ...column, name: header[at] ?? '' })) }
    const rows = await rowsOf(fixture('cases/files/csv/missing_values.csv'), named)
    expect(rows.map((row) => ('code' in row ? row.code : cellsOf(row as RecordFields)))).toEqual([
      ['3fc00000', '0'],
      'STK_CSV_EMPTY',
      ['nan', '0'],
      ['40200000', '1'],
    ])
  })
})

describe('tables as a whole', () => {
  const wide: CsvSource = {
    type: 'csv',
    files: 'x',
    columns: [
      { name: 'b', dtype: 'int64' },
      { name: 'a', dtype: 'string' },
    ],
  }

  it('finds columns by name, in whatever order each file has them', async () => {
    for (const bytes of ['a,b,c\nx,1,?\n', 'c,b,a\n?,1,x\n']) {
      const [row] = await rowsOf(Buffer.from(bytes), wide)
      expect(Object.entries(row as RecordFields).map(([name, value]) => [name, ...spelled(value)])).toEqual([
        ['b', '1'],
        ['a', 'eA=='],
      ])
    }
  })

  it.each([
    ['a column is missing', 'a,c\n', 'STK_CSV_COLUMN', 'has no column "b"; its header names: a, c'],
    ['a column comes twice', 'a,b,b\n', 'STK_CSV_COLUMN', 'has several columns "b"'],
    ['the header is broken', 'a,"b" \nx', 'STK_CSV_HEADER', 'quotes do not match'],
    ['a quote in the header is never closed', `a,"b${'\nx,1'.repeat(300_000)}`, 'STK_CSV_HEADER', '1048576 bytes'],
  ])('says at indexing that %s', async (_, bytes, code, text) => {
    const pin = await desk.put(`whole-${puts++}.csv`, Buffer.from(bytes))
    const error = await failureOf(() => csv.index(pin, wide, desk.context))
    expect(error).toMatchObject({ code, message: expect.stringContaining(text), place: { shard: pin.uri } })
  })

  it('takes an empty file for a table without rows', async () => {
    expect(await rowsOf(Buffer.from(''), wide)).toEqual([])
    expect(await rowsOf(Buffer.from('\ufeff'), { ...wide, header: false })).toHaveLength(1)
  })

  it('bounds a row that an open quote runs on', async () => {
    const pin = await desk.put('open.csv', Buffer.from(`a,b\nx,1\n"${'y,2\n'.repeat(1000)}`))
    const context = { ...desk.context, limits: { maxRecordBytes: 1000 } }
    const [row, error] = await readEach(csv, pin, wide, context)
    expect(row).toHaveProperty('a')
    expect(error).toMatchObject({ code: 'STK_RECORD_TOO_LONG', place: { record: 1, offset: 8 } })
  })
})
