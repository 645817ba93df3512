import type { Format, FormatContext, PageCache, RecordFields, ShardIndex, ShardPin } from '@stoker/formats'
import type { LeafSource } from '@stoker/spec'
import { StokerError } from '@stoker/spec'

/** A record that was set aside, and why. */
export interface BadRecord {
  readonly shard: string
  /** Number of the record within the shard, from 0. */
  readonly record: number
  /** Records behind it that are gone with it, estimated, where damage keeps the rest of the shard from being found. */
  readonly lost?: number
  /** The record that stands in for it. */
  readonly standIn?: { readonly shard: string; readonly record: number }
  /** Byte offset in the (inflated) shard, where the format has one. */
  readonly offset?: number
  readonly code: string
  readonly message: string
}

/** Whether an error is about the data of one record: the same on every try and on every machine. */
export const isRecordFault = (error: unknown): error is StokerError =>
  error instanceof StokerError && error.status === 422 && !error.retryable

/** The ledger's line for an error that carries its place. */
export function badRecord({ code, message, place = {} }: StokerError, lost: number): BadRecord {
  const { shard = '', record = 0, offset } = place
  return { shard, record, ...(offset === undefined ? {} : { offset }), code, message, ...(lost > 0 ? { lost } : {}) }
}

/**
 * Reads records so that a bad one does not take the others with it: each comes as its fields or as its error.
 * @throws StokerError for whatever is no fault of a record, such as a store that does not answer
 */
export async function readEach(
  format: Format,
  shard: { readonly pin: ShardPin; readonly index: ShardIndex; readonly source: LeafSource },
  wanted: readonly number[],
  context: FormatContext & { readonly pages: PageCache },
): Promise<(RecordFields | StokerError)[]> {
  const read = (records: readonly number[]) => format.read(shard.pin, shard.index, shard.source, records, context)
  try {
    return await read(wanted)
  } catch (error) {
    if (!isRecordFault(error)) throw error
  }
  const each: (RecordFields | StokerError)[] = []
  for (const record of wanted) {
    try {
      each.push((await read([record]))[0] ?? {})
    } catch (error) {
      if (!isRecordFault(error)) throw error
      each.push(error)
    }
  }
  return each
}
