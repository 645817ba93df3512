import { isFinished, type JobRecord, type JobState, WrongState } from '@stoker/jobs'
import type { App, RouteContext } from '../app-type.js'
import { IsChild } from '../error-table.js'
import { JobParams, JobView, problems } from '../schemas.js'
import { jobView } from '../views/job-view.js'

/** Where a job goes from its state; undefined where it is there already. */
type Target = (record: JobRecord) => JobState | undefined

/** The routes that change a job's state differ in where it goes. Asked twice, they answer the same. */
export function changeState(
  app: App,
  context: RouteContext,
  { verb, summary, target }: { verb: 'cancel' | 'pause' | 'resume'; summary: string; target: Target },
): void {
  app.post(
    `/v1/jobs/:id/${verb}`,
    {
      config: { access: 'jobs:write' },
      schema: {
        tags: ['jobs'],
        summary,
        params: JobParams,
        response: { 200: JobView, ...problems(404, 409, 503) },
      },
    },
    async (request) => {
      const record = await context.jobs.get(request.params.id)
      if (record.parent !== undefined) throw IsChild(record.id, record.parent)
      const to = target(record)
      if (to === undefined) return jobView(record, context)
      try {
        return jobView(await context.jobs.setState(record.id, to), context)
      } catch (error) {
        throw WrongState.is(error) ? error.with({ remedy: remedyFor(record.state) }) : error
      }
    },
  )
}

const remedyFor = (state: JobState): string =>
  isFinished(state) ? 'a finished job stays as it is: submit it again' : 'look at the job, it has just changed'
