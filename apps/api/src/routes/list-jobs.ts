import { Type } from 'typebox'
import type { App, RouteContext } from '../app-type.js'
import { JobList, JobParams, problems } from '../schemas.js'
import { jobView } from '../views/job-view.js'

export function listJobs(app: App, context: RouteContext): void {
  app.get(
    '/v1/jobs',
    {
      config: { access: 'jobs:read' },
      schema: {
        tags: ['jobs'],
        summary: 'List jobs, newest first',
        querystring: Type.Object(
          {
            limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
            before: Type.Optional(
              Type.String({ ...JobParams.properties.id, description: 'last job of the page before' }),
            ),
          },
          { additionalProperties: false },
        ),
        response: { 200: JobList, ...problems(400, 404, 503) },
      },
    },
    async (request) => {
      const { limit = 50, before } = request.query
      const records = await context.jobs.list({ limit, ...(before === undefined ? {} : { before }) })
      const jobs = await Promise.all(records.map((record) => jobView(record, context)))
      const last = records.length === limit ? records.at(-1) : undefined
      return { jobs, ...(last ? { next: `/v1/jobs?limit=${limit}&before=${last.id}` } : {}) }
    },
  )
}
