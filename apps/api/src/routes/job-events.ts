import { isFinished } from '@stoker/jobs'
import { Type } from 'typebox'
import type { App, RouteContext } from '../app-type.js'
import { EventStream } from '../http/event-stream.js'
import { JobParams, problems } from '../schemas.js'
import { jobView } from '../views/job-view.js'

/** How often the view of a job is looked at for changes that are no events, such as the fill of its buffer. */
const VIEW_MS = 1_000

export function jobEvents(app: App, context: RouteContext): void {
  const { jobs, waits } = context
  app.get(
    '/v1/jobs/:id/events',
    {
      config: { access: 'jobs:read' },
      exposeHeadRoute: false,
      schema: {
        tags: ['jobs'],
        summary: 'Follow a job: server-sent events',
        description:
          'Past events (`state`, `step`, `epoch`, ...) and then new ones as they come, each with an id; and `job` events ' +
          'without id: the job as GET /v1/jobs/:id shows it, at once and whenever it changes. The stream ends with the job. ' +
          'With Last-Event-ID it goes on after that event; 204 means that there is nothing more to come.',
        params: JobParams,
        headers: Type.Object({
          'last-event-id': Type.Optional(Type.String({ pattern: '^\\d{1,20}(-\\d{1,20})?$' })),
        }),
        response: {
          200: { description: 'events', content: { 'text/event-stream': { schema: Type.String() } } },
          204: Type.Null({ description: 'the job has ended and all its events are known' }),
          ...problems(400, 404, 503),
        },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const record = await jobs.get(id)
      const after = request.headers['last-event-id']
      const signal = waits.signal(reply)
      const events = jobs.events(id, { after, signal })[Symbol.asyncIterator]()
      if (after !== undefined && isFinished(record.state)) {
        const first = await events.next()
        if (first.done) return reply.code(204).send(null)
        const stream = EventStream.open(reply, signal)
        await stream.send(first.value)
        void follow(stream)
        return reply
      }
      void follow(EventStream.open(reply, signal))
      return reply

      async function follow(stream: EventStream): Promise<void> {
        let shown = ''
        const show = async () => {
          const view = JSON.stringify(await jobView(await jobs.get(id), context))
          if (view === shown) return
          shown = view
          await stream.send({ type: 'job', data: view, isJson: true })
        }
        let showing: Promise<void> | undefined
        const timer = setInterval(() => {
          showing ??= show()
            .catch((error: unknown) => request.log.warn({ err: error }, 'view of a job'))
            .finally(() => {
              showing = undefined
            })
        }, VIEW_MS)
        try {
          await show()
          for (let next = await events.next(); !next.done; next = await events.next()) await stream.send(next.value)
          await showing
          await show()
        } catch (error) {
          if (!signal.aborted) request.log.warn({ err: error }, 'events of a job')
        } finally {
          clearInterval(timer)
          await stream.end()
        }
      }
    },
  )
}
