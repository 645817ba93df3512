import type { Command } from 'commander'
import { isFinished } from '../client/job-view.js'
import { showJob } from '../follow-job.js'
import { type ApiOptions, apiCommand, clientOf, outputOf } from './command.js'
import { interrupted } from './interrupted.js'
import { reportEnd } from './submit.js'

export const watchCommand = (): Command =>
  apiCommand('watch', 'follow a job to its end; with --json one line an event')
    .argument('<job>', 'id of the job')
    .action(async (id: string, options: ApiOptions) => {
      const output = outputOf(options)
      const client = clientOf(options)
      const signal = interrupted()
      if (!output.json) return reportEnd(output, id, await showJob(client, id, signal))
      for await (const event of client.events(id, { signal })) output.result(event, '')
      const view = await client.job(id)
      if (!isFinished(view.state)) reportEnd({ ...output, result: () => {} }, id, view)
      else if (view.state !== 'succeeded') process.exitCode = 1
    })
