import { checkRedis } from '@stoker/queue'
import { Type } from 'typebox'
import type { App, RouteContext } from '../app-type.js'
import { problems } from '../schemas.js'

/** A load balancer asks every few seconds and does not wait longer. */
const ANSWER_MS = 2_000

export function readyz(app: App, { redis }: RouteContext): void {
  app.get(
    '/readyz',
    {
      config: { access: 'open' },
      schema: {
        tags: ['health'],
        summary: 'Can this server take jobs?',
        description: 'Looks at version, login and eviction policy of Redis.',
        response: { 200: Type.Object({ status: Type.Literal('ready') }), ...problems(500, 503) },
      },
    },
    async () => {
      await checkRedis(redis, ANSWER_MS)
      return { status: 'ready' as const }
    },
  )
}
