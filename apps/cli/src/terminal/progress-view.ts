import type { JobView, Progress } from '../client/job-view.js'

/** One thing that advances. */
export interface Gauge {
  readonly name: string
  readonly done: number
  readonly total: number
  readonly facts: string
}

/** What of a job advances now: shards while they are indexed, batches or steps afterwards. */
export function gaugesOf(view: JobView): readonly Gauge[] {
  const { progress = {} } = view
  const { shards = 0, shardsIndexed = 0 } = progress
  const gauges: Gauge[] = []
  if (shards > 0) gauges.push({ name: 'index', done: shardsIndexed, total: shards, facts: 'shards' })
  const total = totalBatches(progress)
  if (total === undefined) return gauges
  const isTraining = view.spec?.train !== undefined || progress.step !== undefined
  const done = isTraining ? (progress.step ?? 0) : (consumed(progress) ?? 0)
  const finished = view.state === 'succeeded' ? total : Math.min(done, total)
  gauges.push({ name: isTraining ? 'train' : 'batches', done: finished, total, facts: factsOf(progress) })
  return gauges
}

/** Batches of all epochs. */
function totalBatches({ batchesTotal }: Progress): number | undefined {
  return batchesTotal
}

function consumed({ epoch = 0, batch = 0, batchesTotal, epochs }: Progress): number | undefined {
  if (batchesTotal === undefined) return undefined
  return epoch * Math.round(batchesTotal / (epochs ?? 1)) + batch
}

function factsOf(progress: Progress): string {
  const { loss, accuracy, secondsLeft, readyBatches, epoch } = progress
  return [
    ...(epoch === undefined ? [] : [`epoch ${epoch + 1}`]),
    ...(loss === undefined ? [] : [`loss ${loss.toFixed(4)}`]),
    ...(accuracy === undefined ? [] : [`accuracy ${accuracy.toFixed(4)}`]),
    ...(readyBatches === undefined ? [] : [`${readyBatches} ready`]),
    ...(secondsLeft === undefined ? [] : [`${Math.ceil(secondsLeft)} s left`]),
  ].join(', ')
}
