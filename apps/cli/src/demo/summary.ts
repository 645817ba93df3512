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

export interface RunFacts {
  readonly trainRecords: number
  readonly testRecords: number
  /** What the records are made of. */
  readonly about: string
  /** From submission to the end. */
  readonly seconds: number
  /** Where things are once the run has ended; without a page when the stack ends too. */
  readonly places: { readonly model: string; readonly checkpoint: string; readonly page?: string }
}

export function summaryText(figures: DemoFigures, facts: RunFacts): string {
  const { accuracy, steps, stepsPerSecond, samplesPerSecond, inputWaitShare } = figures
  const { trainRecords, testRecords, about, seconds, places } = facts
  const held = `on ${testRecords} held-out records`
  return [
    '',
    `  data         ${trainRecords} training records from ${about}`,
    `  accuracy     ${accuracy === null ? 'not told by the model' : `${accuracy.toFixed(4)} ${held}`}`,
    `  steps        ${steps} in ${seconds.toFixed(1)} s from submission`,
    `  speed        ${stepsPerSecond.toFixed(1)} steps/s, ${samplesPerSecond.toFixed(0)} samples/s`,
    `  input wait   ${(100 * inputWaitShare).toFixed(1)} % of the step time`,
    `  model        ${places.model}`,
    `  checkpoint   ${places.checkpoint}`,
    places.page === undefined
      ? '  The stack has ended; with --keep it stays up, with its page.'
      : `  page         ${places.page}`,
    '',
  ].join('\n')
}
