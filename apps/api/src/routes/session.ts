import { Type } from 'typebox'
import { keyIn } from '../access/guard.js'
import type { App, RouteContext } from '../app-type.js'
import { problems } from '../schemas.js'

export function session(app: App, { guard, config }: RouteContext): void {
  const { ring, sessions } = guard
  /** Over TLS here, or at a proxy in front: then the page's own address says so. */
  const isSecure = (origin: string | undefined) => config.tls !== undefined || origin?.startsWith('https:') === true
  const schema = { tags: ['access'], response: { 204: Type.Null({ description: 'done' }), ...problems(503) } }
  const url = '/v1/session'

  app.post(
    url,
    {
      config: { access: 'any key' },
      schema: {
        ...schema,
        summary: 'Let this browser open /queues and /docs',
        description: 'Sets a cookie for an hour that opens these pages as the key does, to look only.',
      },
    },
    async (request, reply) => {
      const key = keyIn(request.headers.authorization, ring)
      if (key) reply.header('set-cookie', await sessions.open(key, isSecure(request.headers.origin)))
      return reply.code(204).send(null)
    },
  )
  app.delete(
    url,
    { config: { access: 'open' }, schema: { ...schema, summary: 'End what POST began' } },
    async (request, reply) => {
      reply.header('set-cookie', await sessions.end(request, isSecure(request.headers.origin)))
      return reply.code(204).send(null)
    },
  )
}
