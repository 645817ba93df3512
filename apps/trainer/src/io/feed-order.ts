import type { JobStore } from '@stoker/jobs'
import { createOrder, type Order, type Plan } from '@stoker/plan'

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

  /** Reads the counts again, while some are missing. */
  async refresh(): Promise<void> {
    if (this.#order.batchesIn(0) !== undefined) return
    const { order, shards } = this.plan
    this.#order = createOrder(order, await this.#jobs.counts(this.id, shards.length))
  }
}
