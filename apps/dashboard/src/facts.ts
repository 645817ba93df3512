import { bytesText, countedText, countText, millisText, percentText, secondsText } from './format.js'
import type { Job } from './job.js'

export type Fact = readonly [label: string, value: string]

const fact = (label: string, value: number | undefined, text: (value: number) => string): Fact[] =>
  value === undefined ? [] : [[label, text(value)]]

/** The few numbers that matter in a list. */
export function shortFacts({ progress, state }: Job): readonly Fact[] {
  const isOver = state === 'succeeded' || state === 'failed' || state === 'cancelled'
  return [
    ...fact('loss', progress.loss, (loss) => loss.toFixed(4)),
    ...fact('accuracy', progress.accuracy, percentText),
    ...fact('waiting for input', progress.inputWaitShare, percentText),
    ...(isOver
      ? []
      : fact(
          'ready',
          progress.readyBatches,
          (count) => `${countedText(count, 'batch', 'batches')}, ${bytesText(progress.readyBytes)}`,
        )),
    ...(isOver ? [] : fact('left', progress.secondsLeft, secondsText)),
  ]
}

export function allFacts({ progress }: Job): readonly Fact[] {
  return [
    ['shards indexed', `${countText(progress.shardsIndexed)} of ${countText(progress.shards)}`],
    ['records an epoch', countText(progress.records)],
    ['next batch', `epoch ${progress.epoch}, batch ${progress.batch} (${countedText(progress.epochs, 'epoch')})`],
    [
      'ready ahead of need',
      `${countedText(progress.readyBatches, 'batch', 'batches')}, ${bytesText(progress.readyBytes)}`,
    ],
    ...fact('bad records', progress.badRecords, countText),
    ...fact('lost with them (estimated)', progress.lostRecords, countText),
    ...fact('step', progress.step, countText),
    ...fact('loss', progress.loss, (loss) => loss.toFixed(4)),
    ...fact('accuracy', progress.accuracy, percentText),
    ...moreMetrics(progress),
    ...fact('learning rate', progress.learningRate, (rate) => rate.toPrecision(3)),
    ...fact('computing a step', progress.stepMs, millisText),
    ...fact('waiting for a batch', progress.waitMs, millisText),
    ...fact('left', progress.secondsLeft, secondsText),
  ]
}

/** Those that have no line of their own. */
const moreMetrics = ({ metrics = {} }: Job['progress']): Fact[] =>
  Object.entries(metrics).flatMap(([name, value]) => (name === 'accuracy' ? [] : [[name, value.toFixed(4)] as const]))

/** What holds a training back, in one sentence. */
export function verdictOf({ progress }: Job): string | undefined {
  const { inputWaitShare } = progress
  if (inputWaitShare === undefined) return undefined
  const share = percentText(inputWaitShare)
  if (inputWaitShare >= 0.1) return `Input-bound: ${share} of the step time goes into waiting for batches.`
  return `Compute-bound: only ${share} of the step time goes into waiting for batches.`
}
