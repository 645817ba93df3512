import { keys, toRedisError } from '@stoker/queue'
import { Type } from 'typebox'
import type { App, RouteContext } from '../app-type.js'
import { problems } from '../schemas.js'

const KEPT_MS = 60_000

export function healthz(app: App, { redis }: RouteContext): void {
  app.get(
    '/healthz',
    {
      config: { access: 'open' },
      schema: {
        tags: ['health'],
        summary: 'Can this server write?',
        description: 'Writes to Redis: a Redis that is full or read-only answers pings and serves no one.',
        response: {
          200: Type.Object({
            status: Type.Literal('ok'),
            redisWriteMs: Type.Optional(Type.Number({ description: 'for who has a key' })),
          }),
          ...problems(503),
        },
      },
    },
    async ({ caller }) => {
      const started = performance.now()
      await redis.set(keys.health, new Date().toISOString(), 'PX', KEPT_MS).catch((error: unknown) => {
        throw toRedisError(error, redis)
      })
      const redisWriteMs = Math.round((performance.now() - started) * 10) / 10
      return { status: 'ok' as const, ...(caller ? { redisWriteMs } : {}) }
    },
  )
}
