import type { CheckedJob } from '../parse-job.js'
import type { Facts, Finding, Rule } from './rule.js'
import { RULES as PIPELINE_RULES } from './rules.js'
import { TRAIN_RULES } from './train-rules.js'

export const RULES: readonly Rule[] = [...PIPELINE_RULES, ...TRAIN_RULES]

/** Every mistake the rules find, in the order of the table. */
export function lint(job: CheckedJob, facts: Facts = {}): Finding[] {
  return RULES.flatMap(({ code, level, find }) => find(job, facts).map((finding) => ({ code, level, ...finding })))
}

export type { Facts, Finding } from './rule.js'
