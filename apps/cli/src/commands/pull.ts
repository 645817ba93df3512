import { fromErrorView } from '@stoker/spec'
import type { Command } from 'commander'
import type { Position, StokerClient } from '../client/client.js'
import { isFinished } from '../client/job-view.js'
import { JobNotSucceeded } from '../error-table.js'
import { followJob } from '../follow-job.js'
import { counted } from '../terminal/counted.js'
import { type ApiOptions, apiCommand, clientOf, outputOf } from './command.js'
import { interrupted } from './interrupted.js'
import { position, whole } from './numbers.js'

/** One batch as it was consumed. */
export interface Pulled extends Position {
  readonly sha256: string
  readonly records: number
}

interface PullOptions extends ApiOptions {
  readonly from?: Position
  readonly limit?: number
}

export const pullCommand = (): Command =>
  apiCommand('pull', 'consume the batches of a feed-only job; one line a batch with its SHA-256')
    .argument('<job>', 'id of the job')
    .option('--from <epoch:batch>', 'first batch to take; everything before it counts as consumed', position)
    .option('--limit <n>', 'stop after so many batches', whole(1, Number.MAX_SAFE_INTEGER))
    .action(async (id: string, options: PullOptions) => {
      const output = outputOf(options)
      const client = clientOf(options)
      if (options.from === undefined && (await client.job(id)).state === 'succeeded') {
        return output.warn(
          `job ${id} has been consumed to its end; to consume it anew, submit it again: stoker submit FILE`,
        )
      }
      const batches = pullBatches(client, id, { ...options, signal: interrupted() })
      for await (const pulled of batches) {
        const { epoch, batch, sha256, records } = pulled
        output.result(pulled, `${epoch}:${batch} ${sha256} ${counted(records, 'record')}`)
      }
    })

const WAIT_MS = 10_000

/**
 * Takes batch after batch, from where the job's cursor stands unless `from` says otherwise, to the end of the job,
 * which has then succeeded.
 * @throws the job's own error when it fails, JobNotSucceeded when it is cancelled
 */
export async function* pullBatches(
  client: StokerClient,
  id: string,
  options: { readonly from?: Position; readonly limit?: number; readonly signal?: AbortSignal } = {},
): AsyncGenerator<Pulled, void, undefined> {
  const { limit = Number.POSITIVE_INFINITY, signal } = options
  const { batchSha256, decodeBatch } = await import('@stoker/buffer')
  let at = options.from ?? (await cursorOf(client, id))
  for (let taken = 0; taken < limit && !signal?.aborted; ) {
    const answer = await client
      .take(id, at, { waitMs: WAIT_MS, ...(signal ? { signal } : {}) })
      .catch(async (error: unknown) => {
        // A job that failed says itself where and why.
        await throwIfEnded(client, id, signal)
        if (signal?.aborted) return { kind: 'later' } as const
        throw error
      })
    if (answer.kind === 'end') return ended(client, id, signal)
    if (answer.kind === 'later') {
      await throwIfEnded(client, id, signal)
      continue
    }
    const { metadata } = decodeBatch(answer.bytes)
    yield {
      ...{ epoch: metadata.epoch, batch: metadata.batch },
      sha256: batchSha256(answer.bytes),
      records: metadata.records,
    }
    taken++
    at = { epoch: answer.next.epoch, batch: answer.next.batch }
  }
}

/** The last batch is consumed; the coordinator sees it a moment later. */
async function ended(client: StokerClient, id: string, signal: AbortSignal | undefined): Promise<void> {
  for await (const { state } of followJob(client, id, signal)) if (isFinished(state)) return
}

async function cursorOf(client: StokerClient, id: string): Promise<Position> {
  const { progress } = await client.job(id)
  return { epoch: progress.epoch, batch: progress.batch }
}

async function throwIfEnded(client: StokerClient, id: string, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) return
  const { state, error } = await client.job(id)
  if (!isFinished(state) || state === 'succeeded') return
  throw error ? fromErrorView(error) : JobNotSucceeded(id, state)
}
