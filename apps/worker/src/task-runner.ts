import { type BatchBuffer, createBatchBuffer } from '@stoker/buffer'
import { createPageCache } from '@stoker/formats'
import { checkBadRecords, createJobStore, type JobStore } from '@stoker/jobs'
import { type BadRecord, countRecords } from '@stoker/pipeline'
import { type BatchAt, BatchUnknown } from '@stoker/plan'
import { type BatchTask, connectRedis, type IndexTask, type PreviewTask, wake } from '@stoker/queue'
import { createStore, type ObjectStore } from '@stoker/storage'
import type { WorkerConfig } from './config.js'
import { type Feed, Feeds } from './feeds.js'
import type { ThreadTask } from './thread-protocol.js'

export interface Work {
  readonly batches: number
  readonly busyMs: number
}

export interface TaskRunner {
  /** @throws StokerError; a retryable one may succeed on another try. */
  run(task: ThreadTask): Promise<Work>
}

/** Opens what a compute thread needs: its Redis connection, its store, its caches. They live as long as the thread. */
export function openTaskRunner(config: WorkerConfig, cacheBytes: number): TaskRunner {
  const redis = connectRedis(config.redisUrl, 'queue')
  const blocking = () => connectRedis(config.redisUrl, 'blocking')
  const jobs = createJobStore(redis, blocking)
  const buffer = createBatchBuffer({ redis, blocking })
  let retries = 0
  const onRetry = () => {
    retries++
  }
  const store = createStore(config.storage, { onRetry })
  const feeds = new Feeds({ jobs, store, scratch: config.scratch, pages: createPageCache(cacheBytes) })
  const parts = { redis, jobs, buffer, store, scratch: config.scratch, feeds }
  return {
    run: async (task) => {
      const started = performance.now()
      // A thread runs one task at a time, so what the store waited for meanwhile was for this job.
      const before = retries
      try {
        const done = await runKind(task, parts)
        return { ...done, busyMs: performance.now() - started }
      } finally {
        if (retries > before) await jobs.bump(task.job, 'storageRetries', retries - before)
      }
    },
  }
}

interface Parts {
  readonly redis: ReturnType<typeof connectRedis>
  readonly jobs: JobStore
  readonly buffer: BatchBuffer
  readonly store: ObjectStore
  readonly scratch: string
  readonly feeds: Feeds
}
type Done = Omit<Work, 'busyMs'>
const NOTHING: Done = { batches: 0 }

function runKind(task: ThreadTask, parts: Parts): Promise<Done> {
  switch (task.kind) {
    case 'index':
      return indexShard(task, parts)
    case 'preview':
      return makePreview(task, parts)
    case 'batch':
      return makeBatches(task, parts)
  }
}

/** Counts the records of one shard and leaves its index in scratch for whoever reads it. */
async function indexShard(task: IndexTask, { redis, jobs, feeds, store, scratch }: Parts): Promise<Done> {
  const { plan } = await feeds.get(task.job)
  if (task.shard >= plan.shards.length) return NOTHING
  await jobs.setCount(task.job, task.shard, await countRecords(plan, task.shard, { store, scratch }))
  await wake(redis, task.job)
  return NOTHING
}

/** Makes one batch for somebody who looks; it does not count as consumed or ready. */
async function makePreview(task: PreviewTask, { feeds, buffer }: Parts): Promise<Done> {
  const feed = await feeds.get(task.job)
  for await (const { bytes } of makeKnown(feed, task.epoch, task.batch, 1))
    await buffer.putPreview(task.job, task.epoch, task.batch, bytes)
  return NOTHING
}

/** Makes the batches of a task that are neither consumed nor ready, and puts each into the buffer as soon as it is made. */
async function makeBatches(task: BatchTask, { feeds, buffer, jobs }: Parts): Promise<Done> {
  const { job, epoch } = task
  const feed = await feeds.get(job)
  const missing = await buffer.missing(job, epoch, task.firstBatch, task.count)
  let batches = 0
  for (const { first, count } of runsOf(missing)) {
    for await (const { batch, bytes, bad } of makeKnown(feed, epoch, first, count)) {
      // Before the batch: nobody trains without a record that is not listed.
      if (bad.length > 0) await listBad(feed, jobs, { job, epoch, batch }, bad)
      const outcome = await buffer.put(job, epoch, batch, bytes)
      if (outcome === 'refused') return { batches }
      if (outcome === 'stored') batches++
    }
  }
  await jobs.bump(job, 'batchesMade', batches)
  return { batches }
}

/** @throws TooManyBadRecords */
async function listBad(
  feed: Feed,
  jobs: JobStore,
  { job, epoch, batch }: BatchAt & { readonly job: string },
  bad: readonly BadRecord[],
): Promise<void> {
  const totals = await jobs.addBadRecords(job, { epoch, batch }, bad)
  // Whoever makes a job's last batch knows how many records there are.
  if (feed.counts().includes(undefined)) await feed.refresh()
  checkBadRecords(feed.plan, feed.counts(), totals)
}

/** The coordinator may know of shards that were indexed after this thread read the counts: then it reads them again. */
async function* makeKnown(feed: Feed, epoch: number, first: number, count: number) {
  let next = first
  try {
    for await (const made of feed.maker.make(epoch, first, count)) {
      yield made
      next = made.batch + 1
    }
    return
  } catch (error) {
    if (!BatchUnknown.is(error)) throw error
  }
  await feed.refresh()
  yield* feed.maker.make(epoch, next, first + count - next)
}

/** Ascending batch numbers as stretches of consecutive ones. */
export function runsOf(batches: readonly number[]): { first: number; count: number }[] {
  const runs: { first: number; count: number }[] = []
  for (const batch of batches) {
    const last = runs.at(-1)
    if (last && last.first + last.count === batch) last.count++
    else runs.push({ first: batch, count: 1 })
  }
  return runs
}
