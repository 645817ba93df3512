import { type ParquetColumn, StokerError } from '@stoker/spec'
import { type AsyncBuffer, type FileMetaData, parquetMetadataAsync, parquetSchema } from 'hyparquet'
import { ParquetBroken, ParquetColumnMissing, ParquetGroupLarge } from '../error-table.js'
import type { FormatContext, ShardPin } from '../types.js'
import { type ColumnKind, kindOf } from './column-kind.js'
import { naturalColumns } from './natural-columns.js'

/** Most bytes that the columns asked for of one row group may take when unpacked: a group is read as a whole. */
const MOST_GROUP_BYTES = 1 << 30
/** Most bytes of a footer. */
const MOST_FOOTER_BYTES = 64 << 20

type AskedColumns = Readonly<Record<string, ParquetColumn>>

export interface RowGroup {
  /** First row. */
  readonly start: number
  readonly rows: number
}

/** A file whose footer was read. */
export interface Table {
  readonly rows: number
  readonly groups: readonly RowGroup[]
  /** Fields and their columns: those asked for, or all that can be read. */
  readonly columns: AskedColumns
  /** Kind of each column asked for, by its name in the file. */
  readonly kinds: ReadonlyMap<string, ColumnKind>
  /** Footer with the columns asked for only, and without what they stand for: values come as they are stored. */
  readonly metadata: FileMetaData
  /** About what the footer takes in memory. */
  readonly heldBytes: number
}

/** @throws ParquetBroken, ParquetColumnMissing, ParquetGroupLarge */
export async function openTable(pin: ShardPin, asked: AskedColumns | 'all', context: FormatContext): Promise<Table> {
  const metadata = await readFooter(pin, context)
  const tree = await checked(pin, context.signal, async () => parquetSchema(metadata))
  const columns = asked === 'all' ? naturalColumns(tree) : asked
  const kinds = new Map<string, ColumnKind>()
  for (const name of new Set(Object.entries(columns).map(([field, { column = field }]) => column))) {
    const node = tree.children.find(({ element }) => element.name === name)
    if (!node) {
      const has = tree.children.slice(0, 50).map(({ element }) => element.name)
      throw ParquetColumnMissing(pin.uri, name, has.join(', ')).with({ place: { shard: pin.uri, field: name } })
    }
    kinds.set(name, kindOf(node))
  }
  const kept = trimmed(metadata, kinds)
  const groups = groupsOf(pin, kept)
  return {
    rows: Number(metadata.num_rows),
    groups,
    columns,
    kinds,
    metadata: kept,
    heldBytes: 400 * kinds.size * groups.length,
  }
}

/** The bytes of a file as the library asks for them. */
export function bufferOf(pin: ShardPin, { store, signal }: FormatContext, mostBytes: number): AsyncBuffer {
  return {
    byteLength: pin.size,
    slice: async (start, end = pin.size) => {
      const length = end - start
      if (!(start >= 0 && length >= 0 && end <= pin.size)) throw new Error(`bytes ${start} to ${end} lie outside of it`)
      if (length > mostBytes) throw new Error(`${length} bytes in one piece`)
      if (length === 0) return new ArrayBuffer(0)
      const bytes = await store.read(
        pin.uri,
        { offset: start, length },
        { etag: pin.etag, ...(signal ? { signal } : {}) },
      )
      const isWhole = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength
      return (isWhole ? bytes.buffer : bytes.slice().buffer) as ArrayBuffer
    },
  }
}

async function readFooter(pin: ShardPin, context: FormatContext): Promise<FileMetaData> {
  const file = bufferOf(pin, context, MOST_FOOTER_BYTES)
  return checked(pin, context.signal, () => parquetMetadataAsync(file, { geoparquet: false }))
}

/** Errors of the library, which have no kind, as ParquetBroken; those of the store and aborts pass. */
export async function checked<T>(pin: ShardPin, signal: AbortSignal | undefined, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof StokerError || signal?.aborted) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw ParquetBroken(pin.uri, why).with({ place: { shard: pin.uri }, cause: error })
  }
}

function trimmed(metadata: FileMetaData, kinds: ReadonlyMap<string, ColumnKind>): FileMetaData {
  return {
    ...metadata,
    key_value_metadata: [],
    schema: metadata.schema.map((element) => {
      if (element.num_children) return element
      const { converted_type: _, logical_type: __, ...physical } = element
      return physical
    }),
    row_groups: metadata.row_groups.map((group) => ({
      ...group,
      columns: group.columns.flatMap((chunk) => {
        const { meta_data: meta } = chunk
        if (!meta || !kinds.has(meta.path_in_schema[0] ?? '')) return []
        const { statistics: _, size_statistics: __, key_value_metadata: ___, ...needed } = meta
        return [
          {
            file_offset: chunk.file_offset,
            ...(chunk.file_path ? { file_path: chunk.file_path } : {}),
            meta_data: needed,
          },
        ]
      }),
    })),
  }
}

function groupsOf(pin: ShardPin, metadata: FileMetaData): RowGroup[] {
  const broken = (why: string) => ParquetBroken(pin.uri, why).with({ place: { shard: pin.uri } })
  let start = 0
  const groups = metadata.row_groups.map((group, at) => {
    const rows = Number(group.num_rows)
    const bytes = group.columns.reduce(
      (sum, { meta_data: meta }) => sum + Number(meta?.total_uncompressed_size ?? 0),
      0,
    )
    if (bytes > MOST_GROUP_BYTES) {
      throw ParquetGroupLarge(pin.uri, at, bytes, MOST_GROUP_BYTES).with({ place: { shard: pin.uri, record: start } })
    }
    if (group.columns.some(({ file_path: path }) => path)) throw broken('its columns lie in other files')
    if (!Number.isSafeInteger(rows) || rows < 0) throw broken(`row group ${at} has ${rows} rows`)
    const made = { start, rows }
    start += rows
    return made
  })
  if (start !== Number(metadata.num_rows)) {
    throw broken(`it says ${metadata.num_rows} rows, and its row groups have ${start}`)
  }
  return groups
}
