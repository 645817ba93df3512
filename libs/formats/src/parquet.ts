import { checkLiterals, type ParquetColumn, type Source } from '@stoker/spec'
import { NoSuchRecord, ParquetNull, ParquetShape, ParquetType, ParquetValue } from './error-table.js'
import type { PageCache } from './page-cache.js'
import { DTYPES_OF } from './parquet/column-kind.js'
import type { Cell } from './parquet/decoded-column.js'
import type { RowGroup, Table } from './parquet/table.js'
import { pinFiles } from './pin-files.js'
import { type Field, fieldOf } from './tensor.js'
import type { Format, FormatContext, RecordFields, ShardIndex, ShardPin } from './types.js'

export type ParquetSource = Extract<Source, { type: 'parquet' }>

const tables = new WeakMap<ShardIndex, Table>()

/**
 * Rows of Parquet files, by hyparquet. The index is the footer; of a row group only the columns asked for are fetched,
 * and it is decoded once for all records that are asked of it.
 */
export const parquet: Format<ParquetSource> = {
  pin: ({ files }, context) => pinFiles(files, context),

  async index(pin, source, context) {
    const table = await tableOf(pin, source, context)
    const index: ShardIndex = {
      count: table.rows,
      dataUri: pin.uri,
      dataEtag: pin.etag,
      dataBytes: pin.size,
      offsets: new Float64Array(0),
      lengths: new Uint32Array(0),
      heldBytes: table.heldBytes,
    }
    tables.set(index, table)
    return index
  },

  async read(pin, index, source, records, context) {
    const table = tables.get(index) ?? (await tableOf(pin, source, context))
    const byGroup = new Map<RowGroup, number[]>()
    for (const [at, record] of records.entries()) {
      const group = groupOf(table, record)
      if (!group) throw NoSuchRecord(pin.uri, record, table.rows).with({ place: { shard: pin.uri, record } })
      const own = byGroup.get(group)
      if (own) own.push(at)
      else byGroup.set(group, [at])
    }
    const rows: RecordFields[] = new Array(records.length)
    const readGroup = async ([group, places]: [RowGroup, number[]]) => {
      const cells = await cellsOf(pin, table, group, source, context)
      for (const at of places) rows[at] = cells(records[at] ?? 0)
    }
    await Promise.all([...byGroup].map(readGroup))
    return rows
  },
}

const nameOf = ([field, { column = field }]: [string, ParquetColumn]): string => column

async function tableOf(pin: ShardPin, source: ParquetSource, context: FormatContext): Promise<Table> {
  const { openTable } = await import('./parquet/table.js')
  const table = await openTable(pin, source.columns, context)
  for (const [field, column] of Object.entries(table.columns)) {
    const kind = table.kinds.get(nameOf([field, column]))
    const isList = (column.shape ?? []).length === 1
    if (!kind || isList !== kind.isList || !DTYPES_OF[kind.values].includes(column.dtype)) {
      const asked = isList ? `a list of ${column.dtype}` : column.dtype
      const fits = DTYPES_OF[kind?.values ?? 'other']
      throw ParquetType(pin.uri, nameOf([field, column]), kind?.name ?? 'nothing', asked).with({
        place: { shard: pin.uri, field },
        remedy:
          fits.length > 0
            ? `ask for ${fits.join(' or ')}${kind?.isList ? ' with the shape [null]' : ''}, and cast it afterwards`
            : 'leave the column out, or write it as another type',
      })
    }
  }
  return table
}

/** The row group of a record, by bisection. */
function groupOf({ groups, rows }: Table, record: number): RowGroup | undefined {
  if (!(record >= 0 && record < rows)) return undefined
  let [low, high] = [0, groups.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((groups[middle]?.start ?? 0) <= record) low = middle
    else high = middle - 1
  }
  return groups[low]
}

/** Reads the records of one row group. */
async function cellsOf(
  pin: ShardPin,
  table: Table,
  group: RowGroup,
  source: ParquetSource,
  context: FormatContext & { readonly pages: PageCache },
): Promise<(record: number) => RecordFields> {
  const { rowGroupsBeside } = await import('./parquet/row-groups.js')
  const entries = Object.entries(table.columns)
  const wanted = entries.map(([field, column]) => ({ column: nameOf([field, column]), dtype: column.dtype }))
  const decoded = await rowGroupsBeside(context.pages).get(pin, table, group, wanted, context)
  const readers = entries.map(([field, column]) => cellReader(field, column))
  return (record) => {
    const place = { shard: pin.uri, record }
    const fields: Record<string, Field> = {}
    for (const [at, [field]] of entries.entries()) {
      const cell = decoded[at]?.cell(record - group.start) ?? NULL
      // Who looks at all sees what is there.
      if ('fault' in cell && source.columns === 'all') continue
      fields[field] = readers[at]?.(cell, place) as Field
    }
    return fields
  }
}

const NULL: Cell = { fault: 'null' }

function cellReader(field: string, { dtype, shape = [], default: written }: ParquetColumn) {
  const literals = checkLiterals(field, dtype, shape, written)
  const fallback = literals && fieldOf(dtype, literals.shape, literals.elements)
  const [length] = shape
  return (cell: Cell, { shard, record }: { shard: string; record: number }): Field => {
    const place = { place: { shard, record, field } }
    if ('fault' in cell) {
      if (cell.fault === 'range') throw ParquetValue(shard, record, field, cell.value, dtype).with(place)
      if (cell.fault === 'null' && fallback) return fallback
      throw ParquetNull(shard, record, field, cell.fault).with(place)
    }
    if (length !== undefined && length !== null && cell.shape[0] !== length)
      throw ParquetShape(shard, record, field, cell.shape[0] ?? 0, length).with(place)
    return cell
  }
}
