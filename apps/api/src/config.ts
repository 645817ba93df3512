import { createSettings } from '@stoker/settings'
import type { StorageConfig } from '@stoker/storage'
import type { Env } from './read-env.js'

/** Holds the Redis password, so it never reaches a log. */
export interface ApiConfig {
  readonly redisUrl: string
  readonly storage: StorageConfig
  /** URI prefix of what is kept across jobs: indexes, inflated shards, lists of files. */
  readonly scratch: string
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  /** Most bytes of a request's body. */
  readonly bodyLimitBytes: number
  /** How long a request waits for a worker to make the batch it wants to look at. */
  readonly previewTimeoutMs: number
  /** Modules with ops of the user's own, the same as the workers'. */
  readonly ops: readonly string[]
  readonly logLevel: string
}

// V8 holds a text of about half a gigabyte; a body is parsed as one.
const MOST_BODY_BYTES = 256 * 2 ** 20

/** @throws SettingInvalid naming the variable, its value and what is allowed. */
export function toConfig(env: Env): ApiConfig {
  const settings = createSettings(env)
  const { store, storage } = settings.storage()
  return {
    redisUrl: settings.redisUrl(),
    storage,
    scratch: `${store}/scratch`,
    host: settings.text('STOKER_HOST', '127.0.0.1'),
    port: settings.whole('STOKER_PORT', 7070, { least: 0, most: 65_535 }),
    bodyLimitBytes: settings.bytes('STOKER_BODY_LIMIT', '8MiB', MOST_BODY_BYTES),
    previewTimeoutMs: settings.whole('STOKER_PREVIEW_TIMEOUT_MS', 20_000, { least: 1, most: 600_000 }),
    ops: settings.ops(),
    logLevel: settings.logLevel(),
  }
}
