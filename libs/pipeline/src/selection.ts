import { createHash } from 'node:crypto'
import type { Format, FormatContext, PageCache, RecordFields, ShardIndex, ShardPin } from '@stoker/formats'
import { compileExpand } from '@stoker/ops'
import type { SourceNode } from '@stoker/plan'
import { canonicalJson, StokerError } from '@stoker/spec'
import { joinUri, ObjectMissing } from '@stoker/storage'
import { isRecordFault, readEach } from './record-faults.js'

/**
 * What the select stages of a source (filter, unbatch) make of one shard: raw record r stands for the records
 * [starts[r], starts[r + 1]) that the plan counts.
 */
export interface Selection {
  /** [raw records + 1] */
  readonly starts: Float64Array
}

// Raw records read at once while a shard is gone through.
const CHUNK_RECORDS = 256

/** The raw record behind a counted one, and which of its records it is. */
export function rawOf({ starts }: Selection, record: number): { raw: number; part: number } {
  let low = 0
  let high = starts.length - 2
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((starts[middle] as number) <= record) low = middle
    else high = middle - 1
  }
  return { raw: low, part: record - (starts[low] as number) }
}

export interface SelectionParts {
  readonly format: Format
  readonly pin: ShardPin
  readonly node: SourceNode
  readonly index: ShardIndex
  readonly context: FormatContext
  readonly pages: PageCache
}

/** Loads the selection of a shard from scratch, or goes through all its records once and leaves it there. */
export async function selectionOf(parts: SelectionParts): Promise<Selection> {
  const { context, pin, node } = parts
  const name = createHash('sha256')
    .update(canonicalJson([pin.uri, pin.etag, node.source, node.selectStages]))
    .digest('hex')
  const uri = joinUri(context.scratch, 'select', `${name}.u32`)
  const stored = await context.store.readAll(uri).catch((error: unknown) => {
    if (ObjectMissing.is(error)) return undefined
    throw error
  })
  const yields = stored ? decoded(stored, parts.index.count) : undefined
  if (yields) return { starts: startsOf(yields) }
  const counted = await countYields(parts)
  await context.store.write(uri, new Uint8Array(counted.buffer))
  return { starts: startsOf(counted) }
}

/** Records that each raw record stands for. A file of another length is as good as none. */
function decoded(bytes: Uint8Array, records: number): Uint32Array | undefined {
  return bytes.length === records * 4 ? new Uint32Array(bytes.slice().buffer) : undefined
}

function startsOf(yields: Uint32Array): Float64Array {
  const starts = new Float64Array(yields.length + 1)
  for (const [raw, count] of yields.entries()) starts[raw + 1] = (starts[raw] as number) + count
  return starts
}

/** A record that cannot be read or judged stands for itself: whoever reads it meets its fault (decision 010). */
async function countYields({ format, pin, node, index, context, pages }: SelectionParts): Promise<Uint32Array> {
  const expand = compileExpand(node.selectStages)
  const countOf = async (record: RecordFields, raw: number) => {
    try {
      return (await expand(record, () => ({ record: raw }))).length
    } catch (error) {
      if (isRecordFault(error)) return 1
      throw error
    }
  }
  const yields = new Uint32Array(index.count)
  for (let first = 0; first < index.count; first += CHUNK_RECORDS) {
    context.signal?.throwIfAborted()
    const wanted = Array.from({ length: Math.min(CHUNK_RECORDS, index.count - first) }, (_, at) => first + at)
    const records = await readEach(format, { pin, index, source: node.source }, wanted, { ...context, pages })
    for (const [at, record] of records.entries()) {
      yields[first + at] = record instanceof StokerError ? 1 : await countOf(record, first + at)
    }
  }
  return yields
}
