import { createPageCache, type FormatContext, type RecordFields, withVocabularies } from '@stoker/formats'
import { type ErrorView, type Place, toStokerError } from '@stoker/spec'
import { type ChainRecord, chainRecords, Walk } from './chain-records.js'
import { type FieldView, fieldsView } from './field-view.js'
import { lookChain } from './look-chain.js'
import { dataFault } from './raw-records.js'

type FieldViews = Readonly<Record<string, FieldView>>

export interface StageView {
  readonly op: string
  readonly fields?: FieldViews
  /** The stage left the record out. */
  readonly dropped?: true
}

/** One record as it is and after each stage; or why it is bad, with what was made of it until then. */
export interface Look {
  readonly shard: string
  readonly record?: number
  /** Byte offset in the (inflated) shard. */
  readonly offset?: number
  /** Which of several records that a stage made of this one. */
  readonly part?: number
  readonly fields?: FieldViews
  readonly stages?: readonly StageView[]
  readonly error?: ErrorView
}

export interface LookOptions {
  /** A job, a pipeline, or a pipeline without batch; the source alone when left out. */
  readonly document?: unknown
  /** Stands in for the document's own source. */
  readonly source?: unknown
  readonly context: FormatContext
  /** Records of the source left out at the start, and most that are shown. */
  readonly skip?: number
  readonly take?: number
}

/** A look with the values themselves, for those who show them in their own way. */
export interface LookWithData {
  readonly look: Look
  readonly fields?: RecordFields
  readonly stages: readonly { readonly op: string; readonly fields?: RecordFields }[]
}

const PAGE_BYTES = 64 * 2 ** 20

/**
 * Looks into the records of any source, in the order in which its shards hold them: order ops and batches are left out.
 * Bad records are told like sound ones, and the next one that can be located follows.
 *
 * @throws StokerError for a chain that does not hold together, and when an object cannot be had
 */
export async function* lookInside(options: LookOptions): AsyncGenerator<LookWithData, void, undefined> {
  const { document, source, skip = 0, take = Number.POSITIVE_INFINITY } = options
  const { chain, elementwise, seed } = lookChain(
    (await withVocabularies(document, options.context.store)) ?? { source, stages: [] },
    source,
  )
  const walk = new Walk(seed, { ...options.context, pages: createPageCache(PAGE_BYTES) })
  const records = await chainRecords(chain, elementwise, () => 0, { skip, take }, walk)
  for await (const record of records) yield lookOf(record)
}

function lookOf({ raw, fields, stages, part, error }: ChainRecord): LookWithData {
  const { shard, record, offset } = raw
  const place: Place = {
    shard,
    ...(record === undefined ? {} : { record }),
    ...(offset === undefined ? {} : { offset }),
  }
  const look: Look = {
    ...{ ...place, shard },
    ...(part === undefined ? {} : { part }),
    ...(fields ? { fields: fieldsView(fields), stages: stages.map(stageView) } : {}),
    ...(error === undefined ? {} : { error: toStokerError(dataFault(error, place)).toJSON() }),
  }
  return { look, stages, ...(fields ? { fields } : {}) }
}

const stageView = ({ op, fields }: { op: string; fields?: RecordFields }): StageView =>
  fields ? { op, fields: fieldsView(fields) } : { op, dropped: true }
