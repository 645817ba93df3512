import { childId, isFinished, type JobRecord, WrongState } from '@stoker/jobs'
import { TaskHandedBack, type TrainTask } from '@stoker/queue'
import { canonicalJson, fromErrorView, type StokerError } from '@stoker/spec'
import { LossNotFinite, NotTrainable, ValidationDiffers } from '../error-table.js'
import { trainingResult } from '../result.js'
import type { TrainingState } from '../training-state.js'
import type { IoContext } from './context.js'
import { FeedOrder } from './feed-order.js'
import { JobFiles } from './job-files.js'
import { type JobSignals, type PreparedJob, runJob } from './job-run.js'

/**
 * Trains one job from its latest checkpoint to its end.
 *
 * @param taskId for handing the task back
 * @throws TaskHandedBack when the trainer closes; what made the job fail; what may go better on another try
 */
export async function runTrainTask(
  context: IoContext,
  { job }: TrainTask,
  taskId: string,
  signals: JobSignals,
): Promise<void> {
  const { jobs, log } = context
  const known = await jobs.get(job)
  if (isFinished(known.state)) return
  const { files, ...parts } = await prepare(context, known)
  if (signals.drain.aborted) throw TaskHandedBack(taskId)

  const step = parts.start.resume?.state.step ?? 0
  const since = await jobs.emit(job, 'trainer', { engine: context.engine, resumedAtStep: step })
  log.info({ job, step }, 'training')
  const record = await jobs.get(job)
  const outcome = await runJob(context, { ...parts, files, record }, since, signals)
  switch (outcome.how) {
    case 'done':
      return await succeed(context, known, outcome.state, files)
    case 'failed':
      throw withRecords(fromErrorView(outcome.error), parts.train)
    case 'stopped':
      throw TaskHandedBack(taskId)
    case 'jobEnded':
      log.info({ job }, 'the job has ended')
  }
}

async function prepare(
  { jobs, store, config, log }: IoContext,
  { id, spec, specHash }: JobRecord,
): Promise<Omit<PreparedJob, 'record'>> {
  if (!spec.train) throw NotTrainable(id)
  const train = await FeedOrder.open(id, jobs)
  const validation = spec.train.validation ? await FeedOrder.open(childId(id), jobs) : undefined
  if (validation) checkAlike(train, validation)
  const files = new JobFiles({
    store,
    root: config.store,
    job: id,
    specHash,
    seed: spec.seed ?? 0,
    keep: spec.train.checkpoint?.keep,
    onDamage: (error) => log.warn({ job: id, err: error.toJSON() }, 'checkpoint passed over'),
  })
  const resume = await files.latestCheckpoint()
  const feeds = { plan: train.plan, validation: validation?.plan }
  const start = { job: id, train: spec.train, seed: spec.seed ?? 0, ...feeds, resume }
  return { start, train, validation, files }
}

/** The engine finishes the batches of both feeds in the same way, so both must have the same left to do. */
function checkAlike(train: FeedOrder, validation: FeedOrder): void {
  const left = ({ plan }: FeedOrder) => canonicalJson(plan.wire.deferred)
  if (left(train) !== left(validation)) throw ValidationDiffers(left(train), left(validation))
}

/** A fault of one batch names the records the batch is made of. */
function withRecords(error: StokerError, feed: FeedOrder): StokerError {
  const { epoch, batch, path } = error.place ?? {}
  if (error.code !== LossNotFinite.code || epoch === undefined || batch === undefined) return error
  if (path === undefined) error.message += `: ${feed.describe(epoch, batch)}`
  return error
}

async function succeed(
  { jobs, log }: IoContext,
  { id: job, spec }: JobRecord,
  state: TrainingState,
  files: JobFiles,
): Promise<void> {
  const places = { model: files.model, checkpoint: files.lastCheckpoint, best: await files.bestCheckpoint() }
  const result = trainingResult(state, places, spec.train?.earlyStopping?.restoreBest ?? false)
  const { stoppedAfter } = state.watch
  if (stoppedAfter !== null) {
    await jobs.setProgress(job, { totalSteps: state.step, secondsLeft: 0 })
    await jobs.emit(job, 'stoppedEarly', { epoch: stoppedAfter, best: state.watch.best })
  }
  await jobs.emit(job, 'summary', result)
  try {
    await jobs.setState(job, 'succeeded', { result })
    log.info({ job, result }, 'trained')
  } catch (error) {
    if (!WrongState.is(error)) throw error
    log.info({ job }, 'the job was ended before its result could be noted')
  }
}
