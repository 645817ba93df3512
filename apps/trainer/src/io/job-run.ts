import { JobEnded } from '@stoker/buffer'
import type { JobRecord } from '@stoker/jobs'
import { toStokerError } from '@stoker/spec'
import type { SessionOutcome, SessionStart } from '../protocol.js'
import type { IoContext } from './context.js'
import type { FeedOrder } from './feed-order.js'
import { feedJob } from './feeder.js'
import type { JobFiles } from './job-files.js'
import { jobEnds } from './job-watch.js'
import { Reporter } from './reporter.js'
import { RingWriter } from './ring-writer.js'
import { Session } from './session.js'

/** All that is known of a job when its training starts or goes on. */
export interface PreparedJob {
  readonly record: JobRecord
  readonly start: SessionStart
  readonly train: FeedOrder
  readonly validation: FeedOrder | undefined
  readonly files: JobFiles
}

export interface JobSignals {
  /** The task is not this trainer's any more: stop without a checkpoint. */
  readonly lost: AbortSignal
  /** The trainer closes: save a checkpoint, hand the task back. */
  readonly drain: AbortSignal
}

/** `jobEnded`: somebody else finished the job, by cancelling it for instance. */
export type JobOutcome = SessionOutcome | { readonly how: 'jobEnded' }

/**
 * One job on the engine thread, from its checkpoint on: feeds it, watches the job, stores what the engine gives.
 *
 * @param since id of an event that is older than the record in `prepared`
 * @throws what keeps the job from going on; the reason of `lost`
 */
export async function runJob(
  context: IoContext,
  prepared: PreparedJob,
  since: string,
  { lost, drain }: JobSignals,
): Promise<JobOutcome> {
  const { buffer, jobs } = context
  const { start, train, validation, record } = prepared
  const from = start.resume?.state.cursor ?? { epoch: 0, batch: 0 }
  await buffer.setCursor(train.id, from)
  if (validation) await buffer.setCursor(validation.id, { epoch: from.epoch, batch: 0 })

  const { session, reported } = openSession(context, prepared)
  const over = new AbortController()
  let hasJobEnded = false
  const onJobEnd = () => {
    if (over.signal.aborted) return
    hasJobEnded = true
    session.stop('dropped')
  }
  const onFault = (error: unknown) => {
    if (JobEnded.is(error)) onJobEnd()
    else if (!over.signal.aborted) session.fail(error)
  }
  const ring = new RingWriter(context.config, (shared) => session.addRing(shared), over.signal)
  const work = [
    feedJob({ buffer, train, validation, ring, from, signal: over.signal }).catch(onFault),
    jobEnds(jobs, record, since, over.signal).then(onJobEnd).catch(onFault),
  ]
  const forget = [whenAborted(drain, () => session.stop('drain')), whenAborted(lost, () => session.fail(lost.reason))]
  try {
    const outcome = await session.ended
    if (hasJobEnded) return { how: 'jobEnded' }
    await reported()
    return outcome
  } finally {
    over.abort()
    for (const stop of forget) stop()
    await Promise.all(work)
  }
}

function openSession(context: IoContext, { start, train, files }: PreparedJob) {
  const { jobs, log } = context
  const { job } = start
  const reporter = new Reporter(jobs, job, () => train.totalBatches)
  const onError = (error: unknown) => log.warn({ job, err: toStokerError(error).toJSON() }, 'report lost')
  const session = new Session({
    start,
    open: context.openSession,
    save: async ({ what, files: saved, state }) => {
      if (what === 'model') return await files.writeModel(saved)
      if (what === 'best') {
        const uri = await files.writeBest(saved, state)
        await jobs.emit(job, 'best', { ...state.watch.best, uri })
        return
      }
      const uri = await files.writeCheckpoint(saved, state)
      await jobs.emit(job, 'checkpoint', { step: state.step, cursor: state.cursor, uri })
      log.info({ job, step: state.step, uri }, 'checkpoint')
    },
    readBest: () => files.readBest(),
    tell: (told) => {
      if (told.type === 'steps') reporter.steps(told, onError)
      else if (told.type === 'epoch') reporter.epoch(told.result, onError)
      else reporter.skipped({ feed: told.feed, ...told.at }, onError)
    },
  })
  return { session, reported: () => reporter.settled() }
}

/** Calls `act` when the signal aborts, at once if it has; the returned function forgets about it. */
function whenAborted(signal: AbortSignal, act: () => void): () => void {
  if (signal.aborted) act()
  else signal.addEventListener('abort', act, { once: true })
  return () => signal.removeEventListener('abort', act)
}
