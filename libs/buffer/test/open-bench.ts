import { randomBytes } from 'node:crypto'
import { createJobStore, type JobStore } from '@stoker/jobs'
import type { Plan } from '@stoker/plan'
import { connectRedis, type RedisRole } from '@stoker/queue'
import { type RedisOptions, type RunningServer, startRedis } from '@stoker/services'
import type { Redis } from 'ioredis'
import { type BatchBuffer, createBatchBuffer } from '../src/redis-buffer.js'

/** A Redis of its own, with a job store and buffers on it. */
export interface RedisBench {
  readonly server: RunningServer
  readonly redis: Redis
  readonly jobs: JobStore
  connect(role: RedisRole): Redis
  buffer(redis?: Redis): BatchBuffer
  /** Id of a new job. */
  job(): Promise<string>
  close(): Promise<void>
}

export async function openBench(options?: RedisOptions): Promise<RedisBench> {
  const server = await startRedis(options)
  const opened: Redis[] = []
  const buffers: BatchBuffer[] = []
  const connect = (role: RedisRole) => {
    const redis = connectRedis(server.url, role)
    opened.push(redis)
    return redis
  }
  const redis = connect('queue')
  const jobs = createJobStore(redis, () => connect('blocking'))
  return {
    server,
    redis,
    jobs,
    connect,
    buffer: (own = redis) => {
      const buffer = createBatchBuffer({ redis: own, blocking: () => connect('blocking') })
      buffers.push(buffer)
      return buffer
    },
    job: async () => {
      const id = randomBytes(13).toString('hex')
      // The buffer never looks at spec or plan.
      const spec = { pipeline: { source: { type: 'range', stop: 1 }, stages: [] } } as never
      await jobs.create({ id, name: 'test', spec, specHash: 'x' }, {} as Plan)
      return id
    },
    close: async () => {
      jobs.close()
      for (const buffer of buffers) buffer.close()
      for (const client of opened) client.disconnect()
      await server.stop()
    },
  }
}

/** Resolves once as many clients as asked are blocked in Redis: a latch instead of a sleep. */
export async function blockedClients(redis: Redis, count: number): Promise<void> {
  for (;;) {
    const blocked = /blocked_clients:(\d+)/.exec(await redis.info('clients'))?.[1]
    if (Number(blocked) >= count) return
  }
}
