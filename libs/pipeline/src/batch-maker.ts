import { createPageCache, type FormatContext, type PageCache, type RecordFields } from '@stoker/formats'
import { compileStages } from '@stoker/ops'
import { type Counts, createOrder, keyOf, type Order, type Plan, type RecordRef } from '@stoker/plan'
import { toStokerError } from '@stoker/spec'
import { formatOf, ShardIndexes } from './shard-indexes.js'
import { BatchStack } from './stack.js'

export interface BatchMakerOptions {
  /** Id of the feed, for the batch's metadata. */
  readonly job: string
  readonly plan: Plan
  readonly context: FormatContext
  /** Shared by all makers of a thread, so that its bound holds for all of them together. */
  readonly pages?: PageCache
  readonly indexBytes?: number
}

/** Makes batches of one feed. Batch k depends on plan and counts alone, so any maker anywhere makes the same bytes. */
export interface BatchMaker {
  /**
   * Batches [first, first + count) of an epoch, as safetensors bytes, in order; the next one is read while one is made.
   * @throws StokerError with epoch, batch, and for a bad record shard, record and offset.
   */
  make(
    epoch: number,
    first: number,
    count: number,
    signal?: AbortSignal,
  ): AsyncGenerator<{ batch: number; bytes: Uint8Array }>
  /** Tells of shards that have been indexed since. */
  setCounts(counts: Counts): void
}

const PAGE_BYTES = 64 * 2 ** 20
const INDEX_BYTES = 64 * 2 ** 20

interface Read {
  readonly batch: number
  readonly refs: readonly RecordRef[]
  readonly records: readonly RecordFields[]
}

export function createBatchMaker(options: BatchMakerOptions, counts: Counts): BatchMaker {
  const { job, plan, context } = options
  const pages = options.pages ?? createPageCache(PAGE_BYTES)
  const indexes = new ShardIndexes(plan, context, options.indexBytes ?? INDEX_BYTES)
  const format = formatOf(plan)
  const run = compileStages(plan.wire.workerStages)
  const deferred = JSON.stringify(plan.wire.deferred)
  let order: Order = createOrder(plan.order, counts)

  const read = async (epoch: number, batch: number, signal: AbortSignal | undefined): Promise<Read> => {
    const refs = order.batch(epoch, batch)
    const places = new Map<number, number[]>()
    for (const [place, { shard }] of refs.entries()) {
      const own = places.get(shard)
      if (own) own.push(place)
      else places.set(shard, [place])
    }
    const records: RecordFields[] = new Array(refs.length)
    const readShard = async ([shard, own]: [number, number[]]) => {
      const pin = plan.shards[shard]
      if (!pin) throw new Error(`plan ${plan.planHash} has no shard ${shard}`)
      const wanted = own.map((place) => refs[place]?.record ?? 0)
      const found = await format.read(pin, await indexes.get(shard), plan.source, wanted, {
        ...context,
        ...(signal ? { signal } : {}),
        pages,
      })
      for (const [at, place] of own.entries()) records[place] = found[at] ?? {}
    }
    await Promise.all([...places].map(readShard))
    return { batch, refs, records }
  }

  /** Says which record of which shard an error is about. */
  const placed = async (error: unknown, { shard, record }: RecordRef) => {
    const index = await indexes.get(shard)
    const uri = plan.shards[shard]?.uri
    const offset = index.offsets[record]
    return toStokerError(error).with({
      place: { ...(uri ? { shard: uri } : {}), record, ...(offset === undefined ? {} : { offset }) },
    })
  }

  const stack = async (
    epoch: number,
    { batch, refs, records }: Read,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array> => {
    const rows = new BatchStack(plan.wire.fields, refs.length, {
      job,
      epoch,
      batch,
      records: refs.length,
      planHash: plan.planHash,
      deferred,
    })
    for (const [row, ref] of refs.entries()) {
      signal?.throwIfAborted()
      try {
        rows.set(row, await run(records[row] ?? {}, { key: keyOf(plan.order.seed, epoch, ref.shard, ref.record) }))
      } catch (error) {
        throw await placed(error, ref)
      }
    }
    return rows.finish()
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
          yield { batch, bytes: await placedIn(epoch, batch, stack(epoch, current, signal), signal) }
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
