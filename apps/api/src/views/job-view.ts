import type { JobRecord } from '@stoker/jobs'
import type { BatchAt } from '@stoker/plan'
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

/** What the trainer tells of itself. */
const TOLD = [
  ...['step', 'totalSteps', 'loss', 'accuracy', 'learningRate'],
  ...['stepMs', 'waitMs', 'inputWaitShare', 'secondsLeft'],
  'storageRetries',
] as const
const METRIC = 'metric:'

async function progressOf(id: string, { jobs, buffer, facts }: Sources): Promise<Progress> {
  const [{ plan, counts, counted, order }, told, cursor, stats, bad] = await Promise.all([
    facts.of(id),
    jobs.progress(id),
    buffer.cursor(id),
    buffer.stats(id),
    jobs.badRecordTotals(id),
  ])
  const perEpoch = order.batchesIn(0)
  return {
    shards: plan.shards.length,
    shardsIndexed: counted,
    records: order.recordsIn(0) ?? counts.reduce<number>((sum, count) => sum + (count ?? 0), 0),
    epochs: order.epochs,
    ...(perEpoch === undefined ? {} : { batchesPerEpoch: perEpoch, batchesTotal: perEpoch * order.epochs }),
    epoch: cursor.epoch,
    batch: cursor.batch,
    ...batchesDone(cursor, perEpoch),
    readyBatches: stats.readyBatches,
    readyBytes: stats.readyBytes,
    ...(bad.listed > 0 ? { badRecords: bad.listed } : {}),
    ...(bad.lost > 0 ? { lostRecords: bad.lost } : {}),
    ...Object.fromEntries(TOLD.flatMap((name) => (Number.isFinite(told[name]) ? [[name, told[name]]] : []))),
    ...metricsOf(told),
  }
}

function metricsOf(told: Readonly<Record<string, number>>): Pick<Progress, 'metrics'> {
  const metrics = Object.entries(told).flatMap(([name, value]) =>
    name.startsWith(METRIC) && Number.isFinite(value) ? [[name.slice(METRIC.length), value] as const] : [],
  )
  return metrics.length > 0 ? { metrics: Object.fromEntries(metrics) } : {}
}

const batchesDone = ({ epoch, batch }: BatchAt, perEpoch: number | undefined) =>
  epoch === 0 || perEpoch !== undefined ? { batchesDone: epoch * (perEpoch ?? 0) + batch } : {}
