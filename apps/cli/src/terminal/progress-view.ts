import type { JobView, Progress } from '../client/job-view.js'

/** One thing that advances. */
export interface Gauge {
  readonly name: string
  readonly done: number
  readonly total: number
  readonly facts: string
}

/** What of a job advances: its shards while they are indexed, its batches or steps once their number is known. */
export function gaugesOf({ kind, state, progress }: JobView): readonly Gauge[] {
  const { shards, shardsIndexed, batchesTotal, batchesDone, step } = progress
  const index = { name: 'index', done: shardsIndexed, total: shards, facts: 'shards' }
  const gauges = shards > 0 ? [index] : []
  if (batchesTotal == null) return gauges
  const done = state === 'succeeded' ? batchesTotal : ((kind === 'train' ? step : batchesDone) ?? 0)
  const name = kind === 'train' ? 'train' : 'batches'
  return [...gauges, { name, done: Math.min(done, batchesTotal), total: batchesTotal, facts: factsOf(progress) }]
}

function factsOf({ epoch, epochs, loss, accuracy, metrics, readyBatches, secondsLeft }: Progress): string {
  const more = Object.entries(metrics ?? {}).filter(([name]) => name !== 'accuracy')
  return [
    `epoch ${Math.min(epoch + 1, epochs)}/${epochs}`,
    ...(loss == null ? [] : [`loss ${loss.toFixed(4)}`]),
    ...(accuracy == null ? [] : [`accuracy ${accuracy.toFixed(4)}`]),
    ...more.map(([name, value]) => `${name} ${value.toFixed(4)}`),
    `${readyBatches} ready`,
    ...(secondsLeft == null ? [] : [`${Math.ceil(secondsLeft)} s left`]),
  ].join(', ')
}
