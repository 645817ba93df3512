import { isFinished, type JobRecord, type JobStore } from '@stoker/jobs'

/**
 * Resolves when the job is finished, by whomever: cancelled, or failed because a record of it could not be read.
 * @param after id of an event that is older than `record`.
 */
export async function jobEnds(
  jobs: Pick<JobStore, 'events' | 'get'>,
  { id, state }: Pick<JobRecord, 'id' | 'state'>,
  after: string,
  signal: AbortSignal,
): Promise<void> {
  if (isFinished(state)) return
  // The sequence ends by itself with the event that finishes the job.
  for await (const _event of jobs.events(id, { after, signal })) if (signal.aborted) return
}
