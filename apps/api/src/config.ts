import { parseBytes } from '@stoker/spec'
import { type StorageConfig, storageConfigFromEnv } from '@stoker/storage'
import { SettingInvalid } from './error-table.js'
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
  readonly logLevel: string
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** @throws SettingInvalid naming the variable, its value and what is allowed. */
export function toConfig(env: Env): ApiConfig {
  const whole = (name: keyof Env, fallback: number, least: number, most: number): number => {
    const text = env[name]
    if (text === undefined) return fallback
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= least && value <= most) return value
    throw SettingInvalid(name, JSON.stringify(text), `an integer from ${least} to ${most}`)
  }
  const store = (env.STOKER_STORE ?? `file://${process.cwd()}/.stoker/store`).replace(/(?<=.)\/+$/, '')
  const logLevel = env.STOKER_LOG_LEVEL ?? 'info'
  if (!LEVELS.includes(logLevel)) {
    throw SettingInvalid('STOKER_LOG_LEVEL', JSON.stringify(logLevel), `one of ${LEVELS.join(', ')}`)
  }
  return {
    redisUrl: env.STOKER_REDIS_URL ?? 'redis://127.0.0.1:6379',
    storage: storageConfigFromEnv({ ...env, STOKER_STORE: store }),
    scratch: `${store}/scratch`,
    host: env.STOKER_HOST ?? '127.0.0.1',
    port: whole('STOKER_PORT', 7070, 0, 65_535),
    bodyLimitBytes: bodyLimit(env.STOKER_BODY_LIMIT ?? '8MiB'),
    previewTimeoutMs: whole('STOKER_PREVIEW_TIMEOUT_MS', 20_000, 1, 600_000),
    logLevel,
  }
}

// V8 holds a text of about half a gigabyte; a body is parsed as one.
const MOST_BODY_BYTES = 256 * 2 ** 20

function bodyLimit(text: string): number {
  try {
    const bytes = parseBytes(text)
    if (bytes <= MOST_BODY_BYTES) return bytes
  } catch {
    // told below, with the variable's name
  }
  throw SettingInvalid('STOKER_BODY_LIMIT', JSON.stringify(text), 'a size from 1B to 256MiB, such as "8MiB"')
}
