import { join } from 'node:path'
import { followJob, type JobView, pullBatches } from '@stoker/cli'
import { checkRedis, connectRedis } from '@stoker/queue'
import { pipeline, range } from '@stoker/spec'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { digitTraining, writeDigitShards } from '../support/digit-shards.js'
import { startTestStack, type TestStack } from '../support/stack.js'
import { type RedisCluster, startRedisCluster } from './redis-cluster.js'

const job = {
  pipeline: pipeline(range(100)).shuffle(50).batch(7).prefetch(4).toJSON(),
  seed: 42,
  epochs: 2,
}

async function hashesOf(stack: TestStack, id: string): Promise<string[]> {
  const hashes: string[] = []
  for await (const { sha256 } of pullBatches(stack.client, id)) hashes.push(sha256)
  return hashes
}

describe('a Redis Cluster of three nodes', () => {
  let cluster: RedisCluster
  let stack: TestStack
  beforeAll(async () => {
    cluster = await startRedisCluster()
    stack = await startTestStack({ redisUrl: cluster.url, workers: 2, trainer: true })
  })
  afterAll(async () => {
    await stack?.stop()
    await cluster?.stop()
  })

  it('carries jobs at the same time, with the bytes of a single server', async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, async () => (await stack.client.submit(job)).id))
    const [first, ...others] = await Promise.all(ids.map((id) => hashesOf(stack, id)))
    // As README.md tells them.
    expect(first?.slice(0, 2)).toEqual([
      '25407e5a390ac189bb2c50f52246ece088b33d7d2bbd84b08946351f1994e6eb',
      'a70a0f7c01c1ebd98e39170a074b086f237d2420b1038bb1813f5035df09d1ac',
    ])
    expect(first).toHaveLength(30)
    for (const hashes of others) expect(hashes).toEqual(first)
    for (const id of ids) expect((await stack.client.job(id)).state).toBe('succeeded')
    const held = await Promise.all(cluster.nodes.map(async (node) => (await node.keys('stoker:{*')).length))
    // Where a job lies is drawn by its id.
    expect(held.filter((count) => count > 0).length, `keys of jobs on each node: ${held}`).toBeGreaterThan(1)
    expect(stack.told).toEqual([])
  })

  it('trains a model, with the validation feed beside it', async () => {
    const files = await writeDigitShards(join(stack.dataDir, 'digits'), [80, 70])
    const { id } = await stack.client.submit(digitTraining(files, 3))
    let last: JobView | undefined
    for await (const view of followJob(stack.client, id)) last = view
    expect(last, JSON.stringify(last?.error)).toMatchObject({ state: 'succeeded', result: { steps: 30 } })
    expect(stack.told).toEqual([])
  })

  it('is refused when one of its nodes evicts keys, and told of by all its addresses when none answers', async () => {
    const redis = connectRedis(cluster.url, 'command')
    const [, node] = cluster.nodes
    await node?.config('SET', 'maxmemory', '77mb')
    expect((await checkRedis(redis)).maxmemoryBytes).toBe(77 * 2 ** 20)
    await node?.config('SET', 'maxmemory-policy', 'allkeys-lru')
    await expect(checkRedis(redis)).rejects.toMatchObject({ code: 'STK_REDIS_EVICTS' })
    redis.disconnect()
    const nobody = connectRedis('redis://127.0.0.1:1,127.0.0.1:2', 'command')
    await expect(checkRedis(nobody, 1_000)).rejects.toMatchObject({
      code: 'STK_REDIS_UNAVAILABLE',
      message: expect.stringMatching(/127\.0\.0\.1:1,127\.0\.0\.1:2 does not answer/),
    })
    nobody.disconnect()
  })
})
