import { createBatchBuffer } from '@stoker/buffer'
import { createJobStore } from '@stoker/jobs'
import { checkRedis, connectRedis } from '@stoker/queue'
import type { WorkerConfig } from './config.js'
import { createLogger } from './logger.js'

/** Clients of the main thread; compute threads open their own. */
export async function createContext(config: WorkerConfig) {
  const log = createLogger(config.logLevel)
  const say = (message: string) => log.warn(message)
  const redis = connectRedis(config.redisUrl, 'queue', { say })
  const blocking = () => connectRedis(config.redisUrl, 'blocking')
  const facts = await checkRedis(redis)
  for (const skipped of facts.skipped) log.warn(skipped)
  return {
    config,
    log,
    redis,
    jobs: createJobStore(redis, blocking),
    buffer: createBatchBuffer({ redis, blocking }),
    async close() {
      redis.disconnect()
    },
  }
}
export type WorkerContext = Awaited<ReturnType<typeof createContext>>
