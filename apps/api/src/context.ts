import { type BatchBuffer, createBatchBuffer } from '@stoker/buffer'
import { createJobStore, type JobStore } from '@stoker/jobs'
import { checkRedis, connectRedis, openTaskQueue, type TaskQueue } from '@stoker/queue'
import { createStore, type ObjectStore } from '@stoker/storage'
import type { Redis } from 'ioredis'
import type { ApiConfig } from './config.js'
import { JobFacts } from './job-facts.js'
import { createLogger, type Logger } from './logger.js'

/** The clients that the routes use. */
export interface Context {
  readonly config: ApiConfig
  readonly log: Logger
  /** Fails fast: somebody waits for each answer. */
  readonly redis: Redis
  readonly blocking: () => Redis
  readonly jobs: JobStore
  readonly buffer: BatchBuffer
  readonly tasks: TaskQueue
  readonly store: ObjectStore
  readonly facts: JobFacts
  /** Safe to call twice. */
  close(): Promise<void>
}

/** @throws RedisUnavailable, RedisRefused, RedisEvicts, RedisTooOld */
export async function createContext(config: ApiConfig, log = createLogger(config.logLevel)): Promise<Context> {
  const redis = connectRedis(config.redisUrl, 'command', { say: (message) => log.warn(message) })
  const blocking = () => connectRedis(config.redisUrl, 'blocking')
  try {
    const { skipped } = await checkRedis(redis)
    for (const message of skipped) log.warn(message)
  } catch (error) {
    redis.disconnect()
    throw error
  }
  const jobs = createJobStore(redis, blocking)
  const buffer = createBatchBuffer({ redis, blocking })
  const tasks = openTaskQueue(redis)
  const store = createStore(config.storage)
  let closing: Promise<void> | undefined
  const close = async () => {
    jobs.close()
    buffer.close()
    await tasks.close()
    await store.close()
    redis.disconnect()
  }
  return {
    ...{ config, log, redis, blocking, jobs, buffer, tasks, store },
    facts: new JobFacts(jobs),
    close: () => {
      closing ??= close()
      return closing
    },
  }
}
