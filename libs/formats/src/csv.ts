import { type CsvColumn, csvFields, elementOf, type LiteralElement, type Source } from '@stoker/spec'
import { createByteFormat } from './byte-format/create.js'
import type { RecordDecoder } from './byte-format/format.js'
import { type Cell, cellsOf, dialectOf } from './csv/cells.js'
import { RowScanner } from './csv/scanner.js'
import { CsvCell, CsvColumnMissing, CsvEmpty, CsvQuotes, CsvWidth } from './error-table.js'
import { bomBytes, isPlainText } from './lines/text.js'
import { parseNumber } from './numbers/parse-number.js'
import { fieldOf } from './tensor.js'
import type { Format, RecordFields } from './types.js'

export type CsvSource = Extract<Source, { type: 'csv' }>

/**
 * Rows as `tf.data.experimental.CsvDataset`: one scalar field a column, of its declared type. A row ends at LF, CR or
 * CRLF outside quotes. An empty cell, or one like `naValue`, takes the column's default; without one it is an error.
 * Unlike TensorFlow's: a BOM at the start is no part of the first cell, and a row must have as many cells as there are
 * columns even where not all are wanted.
 */
export const csv: Format<CsvSource> = createByteFormat<CsvSource>({
  name: 'csv',
  frameBytes: 0,
  indexParams: (source) => [String(source.header ?? true), JSON.stringify(dialectOf(source))],
  isPlain: isPlainText,
  scanner: (source, { shard }) => new RowScanner(shard, dialectOf(source), source.header ?? true),
  decoder: rowDecoder,
})

const QUOTE_FAULTS = {
  'open quote': 'its quotes are not closed before the file ends',
  'quote in quotes': 'a quote inside quotes must be doubled',
  'quote in plain': 'a cell without quotes around it holds one',
} as const

interface Column {
  readonly at: number
  readonly spec: CsvColumn
  readonly fallback: LiteralElement | undefined
}

function rowDecoder(source: CsvSource, { uri, meta }: { uri: string; meta: string | undefined }): RecordDecoder {
  const dialect = dialectOf(source)
  const hasHeader = source.header ?? true
  // Without a single row there is no header, and no record to decode either.
  const names = hasHeader ? meta && (JSON.parse(meta) as string[]) : source.columns.map(({ name }) => name)
  const columns = names ? columnsOf(source, uri, names) : []
  const width = names ? names.length : 0
  const naValue = Buffer.from(source.naValue ?? '')

  return (bytes, { shard, record, offset }) => {
    const cells = cellsOf(offset === 0 ? bytes.subarray(bomBytes(bytes)) : bytes, dialect)
    const row = record + (hasHeader ? 2 : 1)
    const faulty = cells.findIndex(({ fault }) => fault)
    const fault = cells[faulty]?.fault
    if (fault) throw CsvQuotes(shard, row, faulty + 1, QUOTE_FAULTS[fault])
    if (cells.length !== width) throw CsvWidth(shard, row, cells.length, width)
    const fields: Record<string, RecordFields[string]> = {}
    for (const column of columns) {
      const { name, dtype } = column.spec
      const cell = cells[column.at]
      const value = cell && cellValue(cell, column, naValue)
      if (value === undefined) {
        const place = { place: { field: name } }
        const text = Buffer.from(cell?.bytes.subarray(0, 100) ?? []).toString()
        if (!cell || isEmpty(cell, naValue)) throw CsvEmpty(shard, row, name).with(place)
        throw CsvCell(shard, row, name, JSON.stringify(text), dtype).with(place)
      }
      fields[name] = fieldOf(dtype, [], [value])
    }
    return fields
  }
}

function columnsOf(source: CsvSource, shard: string, names: readonly string[]): Column[] {
  return csvFields(source).map((spec) => {
    const at = names.indexOf(spec.name)
    const isTwice = at >= 0 && names.includes(spec.name, at + 1)
    if (at < 0 || isTwice) {
      const what = isTwice ? `has several columns "${spec.name}"` : `has no column "${spec.name}"`
      throw CsvColumnMissing(shard, what, names.join(', ')).with({ place: { shard, offset: 0, field: spec.name } })
    }
    return { at, spec, fallback: spec.default === undefined ? undefined : elementOf(spec.dtype, spec.default) }
  })
}

const isEmpty = ({ bytes }: Cell, naValue: Buffer): boolean => bytes.length === 0 || naValue.equals(bytes)

/** @returns undefined where the cell is empty and has no default, or holds no value of the type. */
function cellValue(cell: Cell, { spec, fallback }: Column, naValue: Buffer): LiteralElement | undefined {
  if (isEmpty(cell, naValue)) return fallback
  const { bytes } = cell
  if (spec.dtype === 'string') return bytes
  return parseNumber(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1'), spec.dtype)
}
