import { availableParallelism } from 'node:os'
import { parseBytes } from '@stoker/spec'
import { type StorageConfig, storageConfigFromEnv } from '@stoker/storage'

import { SettingInvalid } from './error-table.js'

export type Env = Readonly<Record<string, string | undefined>>

/** Only this function reads the process's environment. */
export const readEnv = (): Env => process.env

export interface WorkerConfig {
  readonly redisUrl: string
  /** URI under which indexes and inflated shards are kept. */
  readonly scratch: string
  readonly storage: StorageConfig
  /** Compute threads. */
  readonly parallelism: number
  /** Bytes of page cache, of all threads together. */
  readonly cacheBytes: number
  /** Exit when the queue is empty instead of waiting for more. */
  readonly drain: boolean
  readonly graceMs: number
  readonly logLevel: string
}

/** @throws SettingInvalid naming the variable, its value and what is allowed. */
export function toConfig(env: Env): WorkerConfig {
  const whole = (name: string, fallback: number, least: number, most: number): number => {
    const text = env[name]
    if (text === undefined || text === '') return fallback
    const value = Number(text)
    if (!Number.isInteger(value) || value < least || value > most) {
      throw SettingInvalid(name, JSON.stringify(text), `an integer from ${least} to ${most}`)
    }
    return value
  }
  const store = env.STOKER_STORE ?? `file://${process.cwd()}/.stoker/store`
  return {
    redisUrl: env.STOKER_REDIS_URL ?? 'redis://127.0.0.1:6379',
    scratch: `${store.replace(/\/+$/, '')}/scratch`,
    storage: storageConfigFromEnv({ ...env, STOKER_STORE: store }),
    parallelism: whole('STOKER_WORKER_PARALLELISM', availableParallelism(), 1, 1024),
    cacheBytes: parseBytes(env.STOKER_WORKER_CACHE ?? '128MiB'),
    drain: env.STOKER_WORKER_DRAIN === 'true',
    graceMs: whole('STOKER_WORKER_GRACE_MS', 10_000, 0, 3_600_000),
    logLevel: env.STOKER_LOG_LEVEL ?? 'info',
  }
}
