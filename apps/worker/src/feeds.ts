import type { PageCache } from '@stoker/formats'
import type { JobStore } from '@stoker/jobs'
import { type BatchMaker, createBatchMaker } from '@stoker/pipeline'
import type { Counts, Plan } from '@stoker/plan'
import type { ObjectStore } from '@stoker/storage'

/** A feed that a thread has worked for: its plan and its maker. */
export interface Feed {
  readonly plan: Plan
  readonly maker: BatchMaker
  /** Records of each shard, as far as they were indexed at the last look. */
  counts(): Counts
  /** Reads the shard counts again; more are known than the maker knew. */
  refresh(): Promise<void>
}

/** A thread serves few jobs at a time; their plans and indexes stay in memory. */
const FEEDS_KEPT = 4

/** Plans and makers by feed id, latest used last. */
export class Feeds {
  readonly #held = new Map<string, Promise<Feed>>()
  readonly #parts: { jobs: JobStore; store: ObjectStore; scratch: string; pages: PageCache }

  constructor(parts: { jobs: JobStore; store: ObjectStore; scratch: string; pages: PageCache }) {
    this.#parts = parts
  }

  async get(job: string): Promise<Feed> {
    const opening = this.#held.get(job) ?? this.#open(job)
    this.#held.delete(job)
    this.#held.set(job, opening)
    const [oldest] = this.#held.keys()
    if (this.#held.size > FEEDS_KEPT && oldest !== undefined) this.#held.delete(oldest)
    try {
      return await opening
    } catch (error) {
      this.#held.delete(job)
      throw error
    }
  }

  async #open(job: string): Promise<Feed> {
    const { jobs, store, scratch, pages } = this.#parts
    const plan = await jobs.plan(job)
    const read = () => jobs.counts(job, plan.shards.length)
    let counts = await read()
    const maker = createBatchMaker({ job, plan, context: { store, scratch }, pages }, counts)
    const refresh = async () => {
      counts = await read()
      maker.setCounts(counts)
    }
    return { plan, maker, counts: () => counts, refresh }
  }
}
