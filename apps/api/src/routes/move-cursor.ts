import { Type } from 'typebox'
import type { App, RouteContext } from '../app-type.js'
import { JobFailed } from '../error-table.js'
import { pullable } from '../feed.js'
import { BatchAt, JobParams, problems } from '../schemas.js'

export function moveCursor(app: App, context: RouteContext): void {
  app.post(
    '/v1/jobs/:id/cursor',
    {
      config: { access: 'jobs:write' },
      schema: {
        tags: ['batches'],
        summary: 'Say what is consumed: all batches before {epoch, batch}',
        description: 'A consumer that takes in order needs this only for its last batch, and to rewind.',
        params: JobParams,
        body: BatchAt,
        response: { 200: Type.Object(BatchAt.properties), ...problems(400, 404, 409, 410, 415, 503) },
      },
    },
    async (request) => {
      const { id, state } = pullable(await context.jobs.get(request.params.id))
      if (state === 'succeeded') throw JobFailed(id, state, 'all its batches have been consumed')
      await context.buffer.setCursor(id, request.body)
      return request.body
    },
  )
}
