import type { MessagePort } from 'node:worker_threads'
import { createBatchBuffer } from '@stoker/buffer'
import type { EngineReport } from '@stoker/engine'
import { createJobStore } from '@stoker/jobs'
import { checkRedis, connectRedis } from '@stoker/queue'
import { createStore } from '@stoker/storage'
import type { TrainerConfig } from '../config.js'
import { createLogger } from '../logger.js'
import type { SessionStart } from '../protocol.js'

export interface IoSetup {
  readonly config: TrainerConfig
  /** Which TensorFlow runs on the other thread. */
  readonly engine: EngineReport
}

/** Clients of the I/O thread. */
export async function createIoContext(
  { config, engine }: IoSetup,
  openSession: (start: SessionStart, port: MessagePort) => void,
) {
  const log = createLogger(config.logLevel, 'io')
  const say = (message: string) => log.warn(message)
  const redis = connectRedis(config.redisUrl, 'queue', { say })
  const blocking = () => connectRedis(config.redisUrl, 'blocking')
  const jobs = createJobStore(redis, blocking)
  const buffer = createBatchBuffer({ redis, blocking })
  const store = createStore(config.storage)
  const close = async () => {
    jobs.close()
    buffer.close()
    await store.close()
    redis.disconnect()
  }
  try {
    const { skipped } = await checkRedis(redis)
    for (const what of skipped) log.warn(what)
  } catch (error) {
    await close()
    throw error
  }
  return { config, engine, log, redis, jobs, buffer, store, openSession, close }
}
export type IoContext = Awaited<ReturnType<typeof createIoContext>>
