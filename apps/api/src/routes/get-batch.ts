import { Type } from 'typebox'
import type { App, RouteContext } from '../app-type.js'
import { tokenAfter } from '../batch-token.js'
import { previewBatch } from '../preview.js'
import { BatchParams, Binary, problems } from '../schemas.js'
import { BatchView, batchView } from '../views/batch-view.js'
import { contactSheet } from '../views/contact-sheet.js'

const FORMATS = ['safetensors', 'json', 'png'] as const

export function getBatch(app: App, context: RouteContext): void {
  app.get(
    '/v1/jobs/:id/batches/:epoch/:batch',
    {
      config: { access: 'jobs:read' },
      exposeHeadRoute: false,
      schema: {
        tags: ['batches'],
        summary: 'Look at a batch',
        description:
          'Exactly the bytes that the consumer gets; nothing is consumed. A batch that is not in the buffer is made by a ' +
          'worker, whatever the job is doing. `format=json` tells names, types, shapes, first values and hash; `format=png` ' +
          'shows the images of the batch.',
        params: BatchParams,
        querystring: Type.Object(
          { format: Type.Optional(Type.Enum(FORMATS, { default: 'safetensors' })) },
          { additionalProperties: false },
        ),
        response: {
          200: {
            description: 'the batch',
            content: {
              'application/octet-stream': { schema: Binary('safetensors') },
              'application/json': { schema: BatchView },
              'image/png': { schema: Binary('contact sheet') },
            },
          },
          ...problems(400, 404, 410, 422, 503, 504),
        },
      },
    },
    async (request, reply) => {
      const { id, epoch, batch } = request.params
      const record = await context.jobs.get(id)
      const bytes = await previewBatch(record, { epoch, batch }, context, context.waits.signal(reply))
      const { order } = await context.facts.of(id)
      const token = tokenAfter(record, order, { epoch, batch })
      reply.headers({ 'stoker-token': JSON.stringify(token), 'cache-control': 'no-store' })
      switch (request.query.format) {
        case 'json':
          return reply.type('application/json; charset=utf-8').send(batchView(bytes, token))
        case 'png':
          return reply.type('image/png').send(await contactSheet(bytes))
        default:
          return reply.type('application/octet-stream').send(bytes)
      }
    },
  )
}
