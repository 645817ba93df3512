import type { Command } from 'commander'
import { isFinished, type JobView } from '../client/job-view.js'
import { JobNotSucceeded } from '../error-table.js'
import { showJob } from '../follow-job.js'
import { loadSpec } from '../spec-file.js'
import { findingText, viewText } from '../terminal/error-text.js'
import type { Output } from '../terminal/output.js'
import { type ApiOptions, apiCommand, clientOf, outputOf } from './command.js'
import { interrupted } from './interrupted.js'

export const submitCommand = (): Command =>
  apiCommand('submit', 'submit a job')
    .argument('<file>', 'job as JSON, as a module (.mjs, .js, .ts), or - for standard input')
    .option('--wait', 'wait for its end; exit code 0 only when it succeeded')
    .option('--key <key>', 'idempotency key: the same key gives the same job')
    .action(async (file: string, options: ApiOptions & { wait?: boolean; key?: string }) => {
      const output = outputOf(options)
      const client = clientOf(options)
      const job = await loadSpec(file)
      const submitted = await client.submit(job, options.key === undefined ? {} : { idempotencyKey: options.key })
      for (const finding of submitted.findings ?? []) output.note(findingText(finding))
      if (options.wait !== true) return output.result(submitted, submitted.id)
      const { id } = submitted
      output.note(`job ${id}`)
      if (isFeed(job)) output.warn(`it trains nothing and waits for a consumer; start one with: stoker pull ${id}`)
      reportEnd(output, id, await showJob(client, id, interrupted()))
    })

const isFeed = (job: unknown): boolean => typeof job === 'object' && job !== null && !('train' in job)

/** Prints the finished job and sets the exit code: 0 only when it succeeded. */
export function reportEnd(output: Output, id: string, view: JobView | undefined): void {
  if (!view || !isFinished(view.state)) {
    if (view) output.result(view, `${id} ${view.state}`)
    output.warn(
      `stopped watching; job ${id} goes on. \`stoker watch ${id}\` follows it, \`stoker cancel ${id}\` ends it`,
    )
    process.exitCode = 1
    return
  }
  output.result(view, `${view.id} ${view.state}${view.result ? ` ${JSON.stringify(view.result)}` : ''}`)
  if (view.state === 'succeeded') return
  process.exitCode = 1
  output.warn(view.error ? viewText(view.error) : viewText(JobNotSucceeded(view.id, view.state).toJSON()))
}
