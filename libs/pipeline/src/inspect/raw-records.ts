import {
  FORMATS,
  type Format,
  type FormatContext,
  type PageCache,
  type RecordFields,
  type ShardPin,
} from '@stoker/formats'
import { type LeafSource, type StokerError, toStokerError } from '@stoker/spec'

/** One record of a source as it is, or why there is none. */
export interface RawRecord {
  readonly shard: string
  /** Index of the shard in the source, from 0. */
  readonly shardAt: number
  /** Missing when the whole shard cannot be read. */
  readonly record?: number
  /** Byte offset in the (inflated) shard, where the format has one. */
  readonly offset?: number
  readonly fields?: RecordFields
  readonly error?: StokerError
}

export type ReadContext = FormatContext & { readonly pages: PageCache }

export interface Window {
  /** Records left out at the start. */
  readonly skip: number
  /** Most records given. */
  readonly take: number
}

// Records read at once; a bad one among them makes each be read alone.
const CHUNK_RECORDS = 64

/**
 * The records of a source in order of shards and offsets. A damaged record is told, and the next one that can be located
 * follows. Skipped records are not read.
 *
 * @throws StokerError when an object cannot be had: then nothing is known of the data.
 */
export async function* rawRecords(
  source: LeafSource,
  pins: readonly ShardPin[],
  { skip, take }: Window,
  context: ReadContext,
): AsyncGenerator<RawRecord, void, undefined> {
  const format = FORMATS[source.type] as Format
  let [toSkip, left] = [skip, take]
  for (const [shardAt, pin] of pins.entries()) {
    if (left <= 0) return
    const shard = { shard: pin.uri, shardAt }
    let index: Awaited<ReturnType<Format['index']>>
    try {
      index = await format.index(pin, source, context)
    } catch (error) {
      yield { ...shard, error: dataFault(error, { shard: pin.uri }) }
      continue
    }
    const first = Math.min(toSkip, index.count)
    toSkip -= first
    for (let at = first; at < index.count && left > 0; ) {
      const count = Math.min(CHUNK_RECORDS, index.count - at, left)
      const records = Array.from({ length: count }, (_, step) => at + step)
      for (const [step, read] of (await readEach(format, pin, index, source, records, context)).entries()) {
        const record = at + step
        const offset = index.offsets[record]
        const name = index.nameOf?.(record)
        const place = {
          ...shard,
          ...(name === undefined ? {} : { shard: name }),
          record,
          ...(offset === undefined ? {} : { offset }),
        }
        yield { ...place, ...read }
      }
      at += count
      left -= count
    }
  }
}

type Read = { readonly fields: RecordFields } | { readonly error: StokerError; readonly offset?: number }

async function readEach(
  format: Format,
  pin: ShardPin,
  index: Awaited<ReturnType<Format['index']>>,
  source: LeafSource,
  records: readonly number[],
  context: ReadContext,
): Promise<Read[]> {
  const read = (wanted: readonly number[]) => format.read(pin, index, source, wanted, context)
  try {
    return (await read(records)).map((fields) => ({ fields }))
  } catch (error) {
    const [only] = records
    if (records.length > 1 || only === undefined) {
      const each: Read[] = []
      for (const record of records) each.push(...(await readEach(format, pin, index, source, [record], context)))
      return each
    }
    const fault = dataFault(error, { shard: pin.uri, record: only })
    const { offset } = fault.place ?? {}
    return [{ error: fault, ...(offset === undefined ? {} : { offset }) }]
  }
}

/** The error of a record or shard that is bad. @throws what is no fault of the data: an abort, a store that fails. */
export function dataFault(error: unknown, place: { shard?: string; record?: number; offset?: number }): StokerError {
  const known = toStokerError(error)
  const isAbort = error instanceof Error && error.name === 'AbortError'
  if (isAbort || known.code.startsWith('STK_STORAGE_')) throw error
  return known.with({ place })
}
