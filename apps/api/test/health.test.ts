import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { expectProblem, startStack } from './helpers/stack.js'

it('is healthy while it can write, and says when Redis is full though it still answers', async () => {
  const stack = await startStack({}, { maxmemoryBytes: 8 * 2 ** 20 })
  const redis = new Redis(stack.redis.url)
  try {
    expect((await stack.call('GET', '/healthz')).json).toMatchObject({ status: 'ok' })
    expect((await stack.call('GET', '/readyz')).json).toEqual({ status: 'ready' })
    // A large request takes memory itself, so the last room is filled in small pieces.
    for (const bytes of [100_000, 2_000, 50]) {
      let isFull = false
      for (let n = 0; !isFull && n < 2_000; n++) {
        isFull = await redis.set(`fill:${bytes}:${n}`, Buffer.alloc(bytes)).then(
          () => false,
          () => true,
        )
      }
      expect(isFull).toBe(true)
    }
    expect(await redis.ping()).toBe('PONG')
    const answer = await stack.call('GET', '/healthz')
    expectProblem(answer, 503, 'STK_REDIS_FULL')
    expect(answer.json.remedy).toContain('maxmemory')
  } finally {
    redis.disconnect()
    await stack.stop()
  }
})
