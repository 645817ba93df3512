import type { CheckedJob } from '../parse-job.js'
import type { Facts, Finding } from './rule.js'
import { RULES } from './rules.js'

/** Every mistake the rules find, in the order of the table. */
export function lint(job: CheckedJob, facts: Facts = {}): Finding[] {
  return RULES.flatMap(({ code, level, find }) => find(job, facts).map((finding) => ({ code, level, ...finding })))
}

export type { Facts, Finding } from './rule.js'
export { RULES } from './rules.js'
