import { availableParallelism } from 'node:os'
import { OP_TIMEOUT_MS } from '@stoker/ops'
import { createSettings } from '@stoker/settings'
import type { StorageConfig } from '@stoker/storage'
import type { Env } from './read-env.js'

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
  /** Modules with ops of the user's own. */
  readonly ops: readonly string[]
  /** Most time that one of them may take for a record. */
  readonly opTimeoutMs: number
  readonly logLevel: string
}

const MOST_CACHE_BYTES = 2 ** 40

/** @throws SettingInvalid naming the variable, its value and what is allowed. */
export function toConfig(env: Env): WorkerConfig {
  const settings = createSettings(env)
  const { store, storage } = settings.storage()
  return {
    redisUrl: settings.redisUrl(),
    scratch: `${store}/scratch`,
    storage,
    parallelism: settings.whole('STOKER_WORKER_PARALLELISM', availableParallelism(), { least: 1, most: 1024 }),
    cacheBytes: settings.bytes('STOKER_WORKER_CACHE', '128MiB', MOST_CACHE_BYTES),
    drain: settings.flag('STOKER_WORKER_DRAIN', false),
    graceMs: settings.whole('STOKER_WORKER_GRACE_MS', 10_000, { least: 0, most: 3_600_000 }),
    ops: settings.ops(),
    opTimeoutMs: settings.whole('STOKER_OP_TIMEOUT_MS', OP_TIMEOUT_MS, { least: 1, most: 3_600_000 }),
    logLevel: settings.logLevel(),
  }
}
