import { setTimeout as sleep } from 'node:timers/promises'
import { isFinished, type JobRecord } from '@stoker/jobs'
import { type BatchAt, BatchUnknown } from '@stoker/plan'
import { StokerError } from '@stoker/spec'
import type { RouteContext } from './app-type.js'
import { JobFailed, NoWorkerAnswered } from './error-table.js'

/** Between two looks at the shard counts, while shards before the batch are being indexed. */
const LOOK_MS = 200

/**
 * One batch to look at: from the buffer, else made by a worker. Waits for the shards it is made of to be indexed.
 *
 * @throws BatchOutside, JobFailed when the shards will not be indexed, NoWorkerAnswered, or what is wrong with the data
 */
export async function previewBatch(
  record: JobRecord,
  { epoch, batch }: BatchAt,
  { jobs, facts, buffer, tasks, config }: RouteContext,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const { id } = record
  const deadline = performance.now() + config.previewTimeoutMs
  const late = () => NoWorkerAnswered(config.previewTimeoutMs, batch, epoch).with({ place: { epoch, batch } })
  while (!isKnown((await facts.of(id)).order, { epoch, batch })) {
    const { state, error } = await jobs.get(id)
    if (isFinished(state)) throw endedBefore(id, state, error)
    if (performance.now() > deadline) throw late()
    await sleep(LOOK_MS, undefined, { signal })
  }
  try {
    const waitMs = Math.max(0, deadline - performance.now())
    const request = () => tasks.add({ kind: 'preview', job: id, epoch, batch })
    const bytes = await buffer.preview(id, epoch, batch, { request, waitMs, signal })
    if (!bytes) throw late()
    return bytes
  } catch (error) {
    throw asDataFault(error)
  }
}

function isKnown(order: { batch(epoch: number, batch: number): unknown }, { epoch, batch }: BatchAt): boolean {
  try {
    order.batch(epoch, batch)
    return true
  } catch (error) {
    if (BatchUnknown.is(error)) return false
    throw error
  }
}

function endedBefore(id: string, state: string, error: JobRecord['error']): StokerError {
  const ended = JobFailed(id, state, error?.message ?? 'its shards were not indexed before')
  return ended.with({
    ...(error?.place ? { place: error.place } : {}),
    ...(error?.remedy ? { remedy: error.remedy } : {}),
  })
}

/** An error that a worker sent carries no status: it is about the data or the spec, which the caller can change. */
function asDataFault(error: unknown): unknown {
  if (!(error instanceof StokerError) || error.status !== 500 || error.code === 'STK_UNEXPECTED') return error
  const { code, message, place, retryable, remedy = 'correct the data or the pipeline' } = error
  return new StokerError(code, message, { status: 422, retryable }).with({ ...(place ? { place } : {}), remedy })
}
