import type { JobStore } from '@stoker/jobs'
import { type Counts, createOrder, type Order, type Plan } from '@stoker/plan'

/** What plan and shard counts say about a job. */
export interface Facts {
  readonly plan: Plan
  readonly counts: Counts
  /** Shards whose records are counted. */
  readonly counted: number
  readonly order: Order
}

const KEPT = 64

/** Orders of the jobs that somebody looks at. A plan never changes, and a count is never taken back. */
export class JobFacts {
  readonly #jobs: Pick<JobStore, 'plan' | 'counts'>
  readonly #held = new Map<string, Facts>()

  constructor(jobs: Pick<JobStore, 'plan' | 'counts'>) {
    this.#jobs = jobs
  }

  /** @throws JobUnknown */
  async of(id: string): Promise<Facts> {
    const held = this.#held.get(id)
    const facts = held && held.counted === held.plan.shards.length ? held : await this.#read(id, held)
    this.#held.delete(id)
    this.#held.set(id, facts)
    const [oldest] = this.#held.keys()
    if (this.#held.size > KEPT && oldest !== undefined) this.#held.delete(oldest)
    return facts
  }

  async #read(id: string, held: Facts | undefined): Promise<Facts> {
    const plan = held?.plan ?? (await this.#jobs.plan(id))
    const counts = await this.#jobs.counts(id, plan.shards.length)
    const counted = counts.filter((count) => count !== undefined).length
    if (held && held.counted === counted) return held
    return { plan, counts, counted, order: createOrder(plan.order, counts) }
  }
}
