import type { BatchBuffer } from '@stoker/buffer'
import { checkBadRecords, isFinished, type JobRecord, type JobStore, TooManyBadRecords, WrongState } from '@stoker/jobs'
import { type Counts, compareBatches, createOrder, type Order, type Plan } from '@stoker/plan'
import type { AnyTask, TaskQueue } from '@stoker/queue'
import { EmptyDataset, EmptyEpoch } from './error-table.js'
import { decideRelease, normalise } from './release.js'

/*
 * One steward looks after one feed while its coordinator holds the lease. A step reads what is consumed and what is
 * ready, and brings the tasks that must be under way into the queue. It remembers tasks it has added only to spare
 * Redis the repetition; `forget` drops that memory now and then, and whatever got lost in between (a task, a batch, the
 * whole queue) is released again. If this process dies, the next steward starts from the same state in Redis.
 */

export interface StewardParts {
  readonly jobs: JobStore
  readonly buffer: BatchBuffer
  readonly tasks: TaskQueue
}

/** Index tasks in the queue at once: enough for a large fleet, little for Redis. */
const INDEX_TASKS = 256
/** Until the first batch has shown its bytes. */
const BLIND_WINDOW = 8

export class Steward {
  readonly id: string
  readonly #parts: StewardParts
  #plan: Plan | undefined
  #order: Order | undefined
  #counts: Counts = []
  #counted = -1
  readonly #added = new Set<string>()

  constructor(id: string, parts: StewardParts) {
    this.id = id
    this.#parts = parts
  }

  forget(): void {
    this.#added.clear()
  }

  /** Returns false when the job has ended. */
  async step(): Promise<boolean> {
    const record = await this.#parts.jobs.get(this.id)
    if (isFinished(record.state)) return false
    if (record.state === 'paused') return true
    this.#plan ??= await this.#parts.jobs.plan(this.id)
    const plan = this.#plan
    if (record.state === 'pending') await this.#move('indexing', 'pending')
    const order = await this.#refreshOrder(plan)
    if (await this.#failWhenEmpty(plan, order)) return true
    if (await this.#failWhenSpoiled(plan)) return true
    if (order.knownBatches(0) > 0 && (record.state === 'indexing' || record.state === 'pending'))
      await this.#move('running', 'indexing')
    await this.#addIndexTasks(plan, order)
    if (record.spec.train && record.parent === undefined) await this.#add([{ kind: 'train', job: this.id }])
    await this.#release(plan, order, record)
    return true
  }

  async #refreshOrder(plan: Plan): Promise<Order> {
    if (this.#order && this.#counted === plan.shards.length) return this.#order
    const counts = await this.#parts.jobs.counts(this.id, plan.shards.length)
    const counted = counts.filter((count) => count !== undefined).length
    if (!this.#order || counted !== this.#counted) {
      this.#order = createOrder(plan.order, counts)
      this.#counts = counts
      this.#counted = counted
    }
    return this.#order
  }

  async #failWhenEmpty(plan: Plan, order: Order): Promise<boolean> {
    const records = order.recordsIn(0)
    if (records === undefined || order.batchesIn(0) !== 0) return false
    const error = records === 0 ? EmptyDataset(plan.shards.length) : EmptyEpoch(records, plan.order.batch.size)
    await this.#parts.jobs.setState(this.id, 'failed', { error: error.toJSON() })
    return true
  }

  /** A worker that lists a bad record looks, too; shards counted since then are known here first. */
  async #failWhenSpoiled(plan: Plan): Promise<boolean> {
    if (plan.onBadRecord === 'fail' || plan.maxBadFraction === 1) return false
    try {
      checkBadRecords(plan, this.#counts, await this.#parts.jobs.badRecordTotals(this.id))
      return false
    } catch (error) {
      if (!TooManyBadRecords.is(error)) throw error
      await this.#parts.jobs.setState(this.id, 'failed', { error: error.toJSON() })
      return true
    }
  }

  async #addIndexTasks(plan: Plan, order: Order): Promise<void> {
    if (this.#counted === plan.shards.length) return
    const missing = order.shardOrder(0).filter((shard) => this.#counts[shard] === undefined)
    await this.#add(missing.slice(0, INDEX_TASKS).map((shard) => ({ kind: 'index', job: this.id, shard })))
  }

  async #release(plan: Plan, order: Order, record: JobRecord): Promise<void> {
    const { buffer, jobs } = this.#parts
    const [cursor, ready] = await Promise.all([buffer.cursor(this.id), buffer.ready(this.id)])
    const at = normalise(order, cursor)
    if (!at) {
      const isFeedOnly = !record.spec.train && record.parent === undefined
      if (isFeedOnly && this.#counted === plan.shards.length)
        await jobs.setState(this.id, 'succeeded', { result: feedResult(order) })
      return
    }
    const windowBatches = affordableBatches(
      plan,
      ready.map(({ bytes }) => bytes),
    )
    const { tasks, discard } = decideRelease({
      order,
      cursor: at,
      ready,
      windowBatches,
      taskBatches: plan.knobs.taskBatches,
    })
    if (discard.length > 0) {
      await buffer.discard(
        this.id,
        discard.filter((batch) => compareBatches(batch, at) > 0),
      )
      this.forget()
    }
    await this.#add(tasks.map((task) => ({ kind: 'batch', job: this.id, ...task })))
  }

  async #add(tasks: readonly AnyTask[]): Promise<void> {
    const fresh = tasks.filter((task) => !this.#added.has(JSON.stringify(task)))
    if (fresh.length === 0) return
    await this.#parts.tasks.addAll(fresh)
    for (const task of fresh) this.#added.add(JSON.stringify(task))
  }

  /** Another process may have moved the job meanwhile; its move stands. */
  async #move(to: 'indexing' | 'running', from: 'pending' | 'indexing'): Promise<void> {
    try {
      await this.#parts.jobs.setState(this.id, to, { from: [from] })
    } catch (error) {
      if (!WrongState.is(error)) throw error
    }
  }
}

function feedResult(order: Order): Record<string, number> {
  const { epochs } = order
  return { epochs, batches: (order.batchesIn(0) ?? 0) * epochs, records: (order.recordsIn(0) ?? 0) * epochs }
}

/** The window in batches that the byte budget allows; what was measured counts when shapes are known only at run time. */
export function affordableBatches(plan: Plan, readyBytes: readonly number[]): number {
  const bytes = plan.batchBytes ?? (readyBytes.length > 0 ? Math.max(...readyBytes) : null)
  if (bytes === null) return Math.min(BLIND_WINDOW, plan.knobs.windowBatches)
  return Math.max(1, Math.min(plan.knobs.windowBatches, Math.floor(plan.bufferBytes / bytes)))
}
