import type { JobStore } from '@stoker/jobs'
import { createOrder, type Order, type Plan } from '@stoker/plan'

const MOST_DESCRIBED = 64

/** What is known of one feed's sequence of batches; grows while shards are being indexed. */
export class FeedOrder {
  readonly id: string
  readonly plan: Plan
  readonly #jobs: Pick<JobStore, 'counts'>
  #order: Order

  private constructor(id: string, plan: Plan, jobs: Pick<JobStore, 'counts'>, order: Order) {
    this.id = id
    this.plan = plan
    this.#jobs = jobs
    this.#order = order
  }

  static async open(id: string, jobs: Pick<JobStore, 'plan' | 'counts'>): Promise<FeedOrder> {
    const plan = await jobs.plan(id)
    return new FeedOrder(id, plan, jobs, createOrder(plan.order, await jobs.counts(id, plan.shards.length)))
  }

  /** Batches of an epoch; undefined while shards are being indexed. */
  batchesIn(epoch: number): number | undefined {
    return this.#order.batchesIn(epoch)
  }

  /** Batches of all epochs; undefined while shards are being indexed. */
  get totalBatches(): number | undefined {
    const batches = this.#order.batchesIn(0)
    return batches === undefined ? undefined : batches * this.#order.epochs
  }

  /** The records of a batch in words: shards and places, the first few. */
  describe(epoch: number, batch: number): string {
    if (batch >= this.#order.knownBatches(epoch)) return 'its records are not counted yet'
    const refs = this.#order.batch(epoch, batch)
    const shards = new Map<number, number[]>()
    for (const { shard, record } of refs.slice(0, MOST_DESCRIBED))
      shards.set(shard, [...(shards.get(shard) ?? []), record])
    const parts = [...shards].map(([shard, records]) => `${records.join(', ')} of ${this.plan.shards[shard]?.uri}`)
    const more = refs.length > MOST_DESCRIBED ? `, and ${refs.length - MOST_DESCRIBED} more` : ''
    return `records ${parts.join('; ')}${more}`
  }

  /** Reads the counts again, while some are missing. */
  async refresh(): Promise<void> {
    if (this.#order.batchesIn(0) !== undefined) return
    const { order, shards } = this.plan
    this.#order = createOrder(order, await this.#jobs.counts(this.id, shards.length))
  }
}
