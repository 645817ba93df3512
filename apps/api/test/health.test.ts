import { Redis } from 'ioredis'
import { expect, it } from 'vitest'
import { expectProblem, startStack } from './helpers/stack.js'

it('is healthy while it can write, and says when Redis is full though it still answers', async () => {
  const stack = await startStack({}, { maxmemoryBytes: 64 * 2 ** 20 })
  const redis = new Redis(stack.redis.url)
  try {
    expect((await stack.call('GET', '/healthz')).json).toMatchObject({ status: 'ok' })
    expect((await stack.call('GET', '/readyz')).json).toEqual({ status: 'ready' })
    // What is used falls again when idle connections give their buffers back, so filling would last only for a moment.
    await redis.config('SET', 'maxmemory', '1')
    await expect(redis.set('more', '1')).rejects.toThrow('OOM')
    expect(await redis.ping()).toBe('PONG')
    const answer = await stack.call('GET', '/healthz')
    expectProblem(answer, 503, 'STK_REDIS_FULL')
    expect(answer.json.remedy).toContain('maxmemory')
  } finally {
    redis.disconnect()
    await stack.stop()
  }
})
