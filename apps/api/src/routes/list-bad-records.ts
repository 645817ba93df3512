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
    lost: Type.Optional(
      Type.Integer({ minimum: 1, description: 'records gone with it in the damaged rest of the shard, estimated' }),
    ),
    standIn: Type.Optional(
      Type.Object(
        { shard: Type.String(), record: Type.Integer({ minimum: 0 }) },
        { additionalProperties: false, description: 'the record that stood in for it there' },
      ),
    ),
    epoch: Type.Integer({ minimum: 0, description: 'of the earliest batch that met it' }),
    batch: Type.Integer({ minimum: 0, description: 'the earliest that met it' }),
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
          'Of jobs with `onBadRecord: skip` or `substitute`, in the order of shards and records, as far as batches are made.',
        params: JobParams,
        querystring: Type.Object({
          limit: Type.Integer({ minimum: 1, maximum: 100_000, default: 1000, description: 'the first so many' }),
        }),
        response: {
          200: Type.Object(
            { total: Type.Integer({ minimum: 0 }), badRecords: Type.Array(BadRecord) },
            { additionalProperties: false },
          ),
          ...problems(400, 404, 503),
        },
      },
    },
    async (request) => {
      const { id } = await context.jobs.get(request.params.id)
      const badRecords = await context.jobs.badRecords(id)
      return { total: badRecords.length, badRecords: badRecords.slice(0, request.query.limit) }
    },
  )
}
