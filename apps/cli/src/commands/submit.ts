import type { Command } from 'commander'
import type { JobView } from '../client/job-view.js'
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
      const submitted = await client.submit(
        await loadSpec(file),
        options.key === undefined ? {} : { idempotencyKey: options.key },
      )
      for (const finding of submitted.findings ?? []) output.note(findingText(finding))
      if (options.wait !== true) return output.result(submitted, submitted.id)
      output.note(`job ${submitted.id}`)
      reportEnd(output, await showJob(client, submitted.id, interrupted()))
    })

/** Prints the finished job and sets the exit code. A job that is merely no longer watched (Ctrl-C) goes on. */
export function reportEnd(output: Output, view: JobView | undefined): void {
  if (!view) return
  output.result(view, `${view.id} ${view.state}${view.result ? ` ${JSON.stringify(view.result)}` : ''}`)
  if (view.state === 'succeeded') return
  process.exitCode = 1
  output.warn(view.error ? viewText(view.error) : viewText(JobNotSucceeded(view.id, view.state).toJSON()))
}
