import { keys, toRedisError } from '@stoker/queue'
import { Type } from 'typebox'
import type { App, RouteContext } from '../app-type.js'
import { problems } from '../schemas.js'

const KEPT_MS = 60_000

export function healthz(app: App, { redis }: RouteContext): void {
  app.get(
    '/healthz',
    {
      schema: {
        tags: ['health'],
        summary: 'Can this server write?',
        description: 'Writes to Redis: a Redis that is full or read-only answers pings and serves no one.',
        response: {
          200: Type.Object({ status: Type.Literal('ok'), redisWriteMs: Type.Number() }),
          ...problems(503),
        },
      },
    },
    async () => {
      const started = performance.now()
      await redis.set(keys.health, new Date().toISOString(), 'PX', KEPT_MS).catch((error: unknown) => {
        throw toRedisError(error, redis)
      })
      return { status: 'ok' as const, redisWriteMs: Math.round((performance.now() - started) * 10) / 10 }
    },
  )
}
