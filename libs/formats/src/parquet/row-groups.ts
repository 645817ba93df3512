import type { DType } from '@stoker/spec'
import { parquetScan } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { createLimiter } from '../limiter.js'
import type { PageCache } from '../page-cache.js'
import type { FormatContext, ShardPin } from '../types.js'
import { DecodedColumn } from './decoded-column.js'
import { bufferOf, checked, type RowGroup, type Table } from './table.js'

/** Decoded row groups that are kept beside the page cache, least recently used out first; the latest always. */
const HELD_BYTES = 64 * 2 ** 20
/** Row groups decoded at once: each takes its packed and its unpacked bytes. */
const AT_ONCE = 2
const MOST_PAGE_BYTES = 1 << 30

export interface WantedColumn {
  readonly column: string
  readonly dtype: DType | 'string'
}
/** Columns in the order asked. */
export type DecodedGroup = readonly DecodedColumn[]

/** The row groups in memory of one reader: each is decoded once, however many ask for it at the same time. */
export class RowGroups {
  readonly #held = new Map<string, { readonly group: Promise<DecodedGroup>; bytes: number }>()
  readonly #limited = createLimiter(AT_ONCE)
  #bytes = 0

  async get(
    pin: ShardPin,
    table: Table,
    group: RowGroup,
    wanted: readonly WantedColumn[],
    context: FormatContext,
  ): Promise<DecodedGroup> {
    const key = JSON.stringify([pin.uri, pin.etag, group.start, wanted.map(({ column, dtype }) => [column, dtype])])
    const held = this.#held.get(key)
    if (held) {
      this.#held.delete(key)
      this.#held.set(key, held)
      return held.group
    }
    // It is shared: one who no longer waits must not take it from the others.
    const { signal: _, ...unaborted } = context
    const decoding = this.#limited(() => decodeGroup(pin, table, group, wanted, unaborted))
    const entry = { group: decoding, bytes: 0 }
    this.#held.set(key, entry)
    try {
      const columns = await decoding
      entry.bytes = columns.reduce((sum, { bytes }) => sum + bytes, 0)
      this.#bytes += entry.bytes
      this.#evict(key)
      return columns
    } catch (error) {
      this.#held.delete(key)
      throw error
    }
  }

  #evict(latest: string): void {
    for (const [key, { bytes }] of this.#held) {
      if (this.#bytes <= HELD_BYTES) return
      if (key === latest || bytes === 0) continue
      this.#held.delete(key)
      this.#bytes -= bytes
    }
  }
}

const caches = new WeakMap<PageCache, RowGroups>()

/** The row groups that lie beside a page cache. */
export function rowGroupsBeside(pages: PageCache): RowGroups {
  const groups = caches.get(pages) ?? new RowGroups()
  caches.set(pages, groups)
  return groups
}

async function decodeGroup(
  pin: ShardPin,
  { metadata, kinds }: Table,
  { start, rows }: RowGroup,
  wanted: readonly WantedColumn[],
  context: FormatContext,
): Promise<DecodedGroup> {
  return checked(pin, undefined, async () => {
    const file = bufferOf(pin, context, MOST_PAGE_BYTES)
    const columns = [...new Set(wanted.map(({ column }) => column))]
    const scan = await parquetScan({
      file,
      metadata,
      columns,
      compressors: bounded,
      utf8: false,
      useOffsetIndex: false,
    })
    const range = { rowStart: start, rowEnd: start + rows }
    const values = new Map(
      await Promise.all(columns.map(async (column) => [column, await scan.readColumn({ column, ...range })] as const)),
    )
    return wanted.map(({ column, dtype }) => {
      const data = values.get(column)
      const kind = kinds.get(column)
      if (!kind || data?.length !== rows)
        throw new Error(`column ${column} has ${data?.length} values for ${rows} rows`)
      return new DecodedColumn(data, kind, dtype)
    })
  })
}

/** A page says how long it is unpacked, and may lie. */
const bounded = Object.fromEntries(
  Object.entries(compressors).map(([codec, unpack]) => [
    codec,
    (input: Uint8Array, outputLength: number) => {
      if (outputLength > MOST_PAGE_BYTES) throw new Error(`a page of ${outputLength} bytes`)
      return unpack(input, outputLength)
    },
  ]),
)
