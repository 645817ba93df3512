import type { JobRecord } from '@stoker/jobs'
import type { Context } from '../context.js'
import type { JobView, Progress } from '../schemas.js'

type Sources = Pick<Context, 'jobs' | 'buffer' | 'facts'>

/** A job as the api shows it. */
export async function jobView(record: JobRecord, sources: Sources): Promise<JobView> {
  const { id, name, state, specHash, createdAt, updatedAt, finishedAt, pausedFrom, parent, error, result } = record
  return {
    ...{ id, name, state, kind: record.spec.train ? 'train' : 'feed', specHash, createdAt, updatedAt },
    ...(finishedAt ? { finishedAt } : {}),
    ...(pausedFrom ? { pausedFrom } : {}),
    ...(parent ? { parent } : {}),
    progress: await progressOf(id, sources),
    ...(error ? { error } : {}),
    ...(result ? { result: { ...result } } : {}),
  }
}

async function progressOf(id: string, { jobs, buffer, facts }: Sources): Promise<Progress> {
  const [{ plan, counts, counted, order }, told, cursor, stats] = await Promise.all([
    facts.of(id),
    jobs.progress(id),
    buffer.cursor(id),
    buffer.stats(id),
  ])
  const perEpoch = order.batchesIn(0) ?? null
  const number = (name: string): number | null => {
    const value = told[name]
    return value === undefined || !Number.isFinite(value) ? null : value
  }
  return {
    shards: plan.shards.length,
    shardsIndexed: counted,
    records: order.recordsIn(0) ?? counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    epochs: order.epochs,
    batchesPerEpoch: perEpoch,
    batchesTotal: perEpoch === null ? null : perEpoch * order.epochs,
    epoch: cursor.epoch,
    batch: cursor.batch,
    batchesDone: cursor.epoch === 0 ? cursor.batch : perEpoch === null ? null : cursor.epoch * perEpoch + cursor.batch,
    readyBatches: stats.readyBatches,
    readyBytes: stats.readyBytes,
    step: number('step'),
    totalSteps: number('totalSteps'),
    loss: number('loss'),
    accuracy: number('accuracy'),
    stepMs: number('stepMs'),
    waitMs: number('waitMs'),
    inputWaitShare: number('inputWaitShare'),
    secondsLeft: number('secondsLeft'),
  }
}
