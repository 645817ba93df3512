import type { Command } from 'commander'
import type { JobView } from '../client/job-view.js'
import { table } from '../terminal/output.js'
import { type ApiOptions, apiCommand, clientOf, outputOf } from './command.js'
import { whole } from './numbers.js'

export const jobsCommand = (): Command =>
  apiCommand('jobs', 'list jobs, newest first; or show one')
    .argument('[job]', 'id of one job')
    .option('--limit <n>', 'how many', whole(1, 1000), 20)
    .action(async (id: string | undefined, options: ApiOptions & { limit: number }) => {
      const output = outputOf(options)
      const client = clientOf(options)
      if (id !== undefined) {
        const view = await client.job(id)
        return output.result(view, JSON.stringify(view, null, 2))
      }
      const jobs = await client.jobs(options.limit)
      output.result(jobs, table([['job', 'state', 'created', 'name'], ...jobs.map(rowOf)]))
    })

const rowOf = ({ id, state, createdAt, name }: JobView) => [id, state, createdAt, name]

const ACTIONS = {
  cancel: 'end a job; its batches are freed',
  pause: 'make no more batches until it is resumed',
  resume: 'go on with a paused job',
} as const

export const controlCommands = (): Command[] =>
  Object.entries(ACTIONS).map(([action, summary]) =>
    apiCommand(action, summary)
      .argument('<job>', 'id of the job')
      .action(async (id: string, options: ApiOptions) => {
        const view = await clientOf(options).control(id, action as keyof typeof ACTIONS)
        outputOf(options).result(view, `${view.id} ${view.state}`)
      }),
  )
