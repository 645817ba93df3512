import { Type } from 'typebox'
import type { App, RouteContext } from '../app-type.js'
import { JobParams, problems } from '../schemas.js'

const BadRecord = Type.Object(
  {
    shard: Type.String(),
    record: Type.Integer({ minimum: 0, description: 'within the shard' }),
    offset: Type.Optional(Type.Integer({ minimum: 0, description: 'in bytes, where the format has one' })),
    code: Type.String(),
    message: Type.String(),
    epoch: Type.Integer({ minimum: 0, description: 'of the batch that first met it' }),
    batch: Type.Integer({ minimum: 0, description: 'that first met it' }),
    seenAt: Type.String(),
  },
  { additionalProperties: false, title: 'BadRecord' },
)

export function listBadRecords(app: App, context: RouteContext): void {
  app.get(
    '/v1/jobs/:id/bad-records',
    {
      config: { access: 'jobs:read' },
      schema: {
        tags: ['jobs'],
        summary: 'Records that batches were made without, and why',
        description:
          'Of jobs with `onBadRecord: skip`, in the order of shards and records, as far as batches are made.',
        params: JobParams,
        response: {
          200: Type.Object({ badRecords: Type.Array(BadRecord) }, { additionalProperties: false }),
          ...problems(400, 404, 503),
        },
      },
    },
    async (request) => {
      const { id } = await context.jobs.get(request.params.id)
      return { badRecords: await context.jobs.badRecords(id) }
    },
  )
}
