import { createPageCache, type FormatContext, type PageCache, type RecordFields } from '@stoker/formats'
import { compileBatchStages, compileStages } from '@stoker/ops'
import {
  type Counts,
  createOrder,
  keyOf,
  type Order,
  type Plan,
  type RecordRef,
  type Row,
  standIns,
} from '@stoker/plan'
import { toStokerError } from '@stoker/spec'
import { NoStandIn } from './error-table.js'
import { type BadRecord, badRecord, isRecordFault } from './record-faults.js'
import { drawKey, type RawRecords, RecordSource } from './record-source.js'
import { ShardIndexes } from './shard-indexes.js'
import { BatchStack } from './stack.js'
import { encodeFields, stackFields } from './stack-fields.js'

export interface BatchMakerOptions {
  /** Id of the feed, for the batch's metadata. */
  readonly job: string
  readonly plan: Plan
  readonly context: FormatContext
  /** Shared by all makers of a thread, so that its bound holds for all of them together. */
  readonly pages?: PageCache
  readonly indexBytes?: number
}

export interface MadeBatch {
  readonly batch: number
  readonly bytes: Uint8Array
  /** Records that are missing from it, or that others stand in for, where the job does not fail for bad ones. */
  readonly bad: readonly BadRecord[]
}

/** Makes batches of one feed. Batch k depends on plan and counts alone, so any maker anywhere makes the same bytes. */
export interface BatchMaker {
  /**
   * Batches [first, first + count) of an epoch, as safetensors bytes, in order; the next one is read while one is made.
   * @throws StokerError with epoch, batch, and for a bad record shard, record and offset.
   */
  make(epoch: number, first: number, count: number, signal?: AbortSignal): AsyncGenerator<MadeBatch>
  /** Tells of shards that have been indexed since. */
  setCounts(counts: Counts): void
}

const PAGE_BYTES = 64 * 2 ** 20
const INDEX_BYTES = 64 * 2 ** 20

interface Read {
  readonly batch: number
  readonly refs: readonly RecordRef[]
  readonly raw: RawRecords
}

export function createBatchMaker(options: BatchMakerOptions, counts: Counts): BatchMaker {
  const { job, plan, context } = options
  const pages = options.pages ?? createPageCache(PAGE_BYTES)
  const indexes = new ShardIndexes(plan, context, pages, options.indexBytes ?? INDEX_BYTES)
  const source = new RecordSource(plan, indexes)
  const run = compileStages(plan.wire.workerStages)
  const runBatch = plan.wire.batchStages.length > 0 ? compileBatchStages(plan.wire.batchStages) : undefined
  const deferred = JSON.stringify(plan.wire.deferred)
  const { seed } = plan.order
  let order: Order = createOrder(plan.order, counts)

  const rawOf = (refs: readonly RecordRef[], signal: AbortSignal | undefined): Promise<RawRecords> =>
    source.read(refs, { ...context, ...(signal ? { signal } : {}), pages })

  const read = async (epoch: number, batch: number, signal: AbortSignal | undefined): Promise<Read> => {
    const refs = order.batch(epoch, batch)
    return { batch, refs, raw: await rawOf(refs, signal) }
  }

  /** One record as the wire has it. Errors of whatever is done with it carry its shard, record and offset. */
  const withRecord = async (epoch: number, ref: RecordRef, raw: RawRecords, use: (record: RecordFields) => void) => {
    try {
      const record = await source.record(ref, raw, seed, epoch)
      use(await run(record, { key: drawKey(seed, epoch, ref), at: () => raw.at(ref) }))
    } catch (error) {
      throw await source.placed(error, ref)
    }
  }

  /** @throws NoStandIn */
  const standInFor = async (row: Row, signal: AbortSignal | undefined) => {
    let tried = 0
    for (const ref of standIns(order, plan.order, row)) {
      signal?.throwIfAborted()
      tried++
      try {
        let found: RecordFields = {}
        await withRecord(row.epoch, ref, await rawOf([ref], signal), (record) => {
          found = record
        })
        const { shard, record } = await source.placeOf(ref)
        return { found, standIn: { shard, record } }
      } catch (error) {
        // It is listed when its own turn comes.
        if (!isRecordFault(error)) throw error
      }
    }
    throw NoStandIn(row.row, tried)
  }

  const stack = async (
    epoch: number,
    { batch, refs, raw }: Read,
    signal: AbortSignal | undefined,
  ): Promise<MadeBatch> => {
    const metadata = (records: number) => ({ job, epoch, batch, records, planHash: plan.planHash, deferred })
    // Where all rows are there, of equal shape, and nothing works on the whole, they go straight into the batch's bytes.
    const isPlain = !runBatch && !plan.padding && plan.onBadRecord === 'fail'
    const direct = isPlain ? new BatchStack(plan.wire.fields, refs.length, metadata(refs.length)) : undefined
    const made: RecordFields[] = []
    const bad: BadRecord[] = []
    for (const [row, ref] of refs.entries()) {
      signal?.throwIfAborted()
      try {
        await withRecord(epoch, ref, raw, (record) => (direct ? direct.set(row, record) : made.push(record)))
      } catch (error) {
        if (plan.onBadRecord === 'fail' || !isRecordFault(error)) throw error
        const line = badRecord(error, await source.lostBehind(ref))
        if (plan.onBadRecord === 'skip') bad.push(line)
        else {
          const { found, standIn } = await standInFor({ epoch, batch, row }, signal)
          made.push(found)
          bad.push({ ...line, standIn })
        }
      }
    }
    if (direct) return { batch, bytes: direct.finish(), bad }
    const fields = stackFields(made, plan)
    const drawing = { key: keyOf(seed, epoch, batch), at: () => ({ batch }) }
    const whole = runBatch && made.length > 0 ? await runBatch(fields, drawing) : fields
    return { batch, bytes: encodeFields(whole, plan, metadata(made.length)), bad }
  }

  return {
    async *make(epoch, first, count, signal) {
      let next: Promise<Read> | undefined = read(epoch, first, signal)
      try {
        for (let batch = first; batch < first + count; batch++) {
          const current: Read = await placedIn(epoch, batch, next ?? read(epoch, batch, signal), signal)
          next = batch + 1 < first + count ? read(epoch, batch + 1, signal) : undefined
          // Awaited one turn later; until then a failure must not count as unhandled.
          next?.catch(() => undefined)
          yield await placedIn(epoch, batch, stack(epoch, current, signal), signal)
        }
      } finally {
        // Whoever stops early finds no read still going on.
        await next?.catch(() => undefined)
      }
    },
    setCounts(latest) {
      order = createOrder(plan.order, latest)
    },
  }
}

/** Adds the batch to whatever keeps it from being made; an abort passes through as its reason. */
async function placedIn<Value>(
  epoch: number,
  batch: number,
  work: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> {
  try {
    return await work
  } catch (error) {
    signal?.throwIfAborted()
    throw toStokerError(error).with({ place: { epoch, batch } })
  }
}
