import type { App, RouteContext } from '../app-type.js'
import { JobParams, JobWithSpec, problems } from '../schemas.js'
import { jobView } from '../views/job-view.js'

export function getJob(app: App, context: RouteContext): void {
  app.get(
    '/v1/jobs/:id',
    {
      config: { access: 'jobs:read' },
      schema: {
        tags: ['jobs'],
        summary: 'One job: state, progress, error, result',
        params: JobParams,
        response: { 200: JobWithSpec, ...problems(404, 503) },
      },
    },
    async (request) => {
      const record = await context.jobs.get(request.params.id)
      return { ...(await jobView(record, context)), spec: record.spec as unknown }
    },
  )
}
