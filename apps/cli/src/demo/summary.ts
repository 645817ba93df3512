import type { JobView } from '../client/job-view.js'

/** What `npm run demo -- --json` ends with. */
export interface DemoFigures {
  readonly accuracy: number | null
  readonly steps: number
  readonly stepsPerSecond: number
  readonly samplesPerSecond: number
  /** From 0 to 1: of the time between steps, how much was spent waiting for a batch. */
  readonly inputWaitShare: number
  /** URI of the trained model. */
  readonly model: string
  /** URI of the last checkpoint. */
  readonly checkpoint: string
}

export function figuresOf({ result = {} }: JobView): DemoFigures {
  const number = (name: string) => Number(result[name])
  return {
    accuracy: typeof result.accuracy === 'number' ? result.accuracy : null,
    steps: number('steps'),
    stepsPerSecond: number('stepsPerSecond'),
    samplesPerSecond: number('samplesPerSecond'),
    inputWaitShare: number('inputWaitShare'),
    model: String(result.model),
    checkpoint: String(result.checkpoint),
  }
}

export function summaryText(figures: DemoFigures, testRecords: number, seconds: number, page: string): string {
  const { accuracy, steps, stepsPerSecond, samplesPerSecond, inputWaitShare, model, checkpoint } = figures
  return [
    '',
    `  accuracy     ${accuracy === null ? 'not told by the model' : `${accuracy.toFixed(4)} on ${testRecords} held-out records`}`,
    `  steps        ${steps} in ${seconds.toFixed(1)} s from submission`,
    `  speed        ${stepsPerSecond.toFixed(1)} steps/s, ${samplesPerSecond.toFixed(0)} samples/s`,
    `  input wait   ${(100 * inputWaitShare).toFixed(1)} % of the step time`,
    `  model        ${model}`,
    `  checkpoint   ${checkpoint}`,
    `  page         ${page}`,
    '',
  ].join('\n')
}
