import type { Job } from '@stoker/spec'
import type { DataSet, DataSetRecipe } from './data-set.js'

/** What the demo can train: the folders of docs/examples. */
export const SCENARIOS = ['digits', 'photos', 'text', 'tabular', 'audio'] as const
export type Scenario = (typeof SCENARIOS)[number]

/** A folder of docs/examples: where the data come from, and the job over them. */
export interface Template {
  readonly recipe: DataSetRecipe
  /** The job as the builder makes it: JSON.stringify gives the spec. */
  job(data: Pick<DataSet, 'train' | 'test'>, epochs?: number): Job
}

const EXAMPLES = new URL('../../../../docs/examples/', import.meta.url)

export async function loadTemplate(scenario: Scenario): Promise<Template> {
  const load = (file: string) => import(new URL(`${scenario}/${file}`, EXAMPLES).href)
  const [{ recipe }, { job }] = await Promise.all([load('data.mjs'), load('job.mjs')])
  return { recipe, job }
}
