import { parseBytes } from '@stoker/spec'
import { type StorageConfig, storageConfigFromEnv } from '@stoker/storage'
import { SettingInvalid } from './error-table.js'
import type { Env } from './read-env.js'

/** Plain data: it is handed to the I/O thread as it is. Holds the Redis password, so it never reaches a log. */
export interface TrainerConfig {
  readonly redisUrl: string
  /** URI under which checkpoints and models go. */
  readonly store: string
  readonly storage: StorageConfig
  /** Most bytes of shared memory for batches ahead of need. */
  readonly ringBytes: number
  readonly ringSlots: number
  /** From the first signal until the task is handed back without a checkpoint. */
  readonly graceMs: number
  /** A killed trainer's job comes back after this time. */
  readonly lockMs: number
  /** Where `GET /healthz` answers; nowhere when left out. */
  readonly health?: { readonly host: string; readonly port: number }
  readonly logLevel: string
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']
const MOST_RING_BYTES = 2 ** 40

/** @throws SettingInvalid naming the variable, its value and what is allowed. */
export function toConfig(env: Env): TrainerConfig {
  const whole = (name: keyof Env, fallback: number, least: number, most: number): number => {
    const text = env[name]
    if (text === undefined) return fallback
    const value = Number(text)
    if (Number.isInteger(value) && value >= least && value <= most) return value
    throw SettingInvalid(name, JSON.stringify(text), `an integer from ${least} to ${most}`)
  }
  const store = (env.STOKER_STORE ?? `file://${process.cwd()}/.stoker/store`).replace(/(?<=.)\/+$/, '')
  const logLevel = env.STOKER_LOG_LEVEL ?? 'info'
  if (!LEVELS.includes(logLevel)) {
    throw SettingInvalid('STOKER_LOG_LEVEL', JSON.stringify(logLevel), `one of ${LEVELS.join(', ')}`)
  }
  const health = healthAddress(env.STOKER_TRAINER_HEALTH)
  return {
    redisUrl: env.STOKER_REDIS_URL ?? 'redis://127.0.0.1:6379',
    store,
    storage: storageConfigFromEnv({ ...env, STOKER_STORE: store }),
    ringBytes: ringBytes(env.STOKER_TRAINER_RING ?? '512MiB'),
    ringSlots: whole('STOKER_TRAINER_RING_SLOTS', 8, 2, 1024),
    graceMs: whole('STOKER_TRAINER_GRACE_MS', 20_000, 0, 3_600_000),
    lockMs: whole('STOKER_TRAINER_LOCK_MS', 10_000, 1_000, 600_000),
    ...(health ? { health } : {}),
    logLevel,
  }
}

function ringBytes(text: string): number {
  try {
    const bytes = parseBytes(text)
    if (bytes >= 1 && bytes <= MOST_RING_BYTES) return bytes
  } catch {
    // told below, with the variable's name
  }
  throw SettingInvalid('STOKER_TRAINER_RING', JSON.stringify(text), 'a size from 1B to 1TiB, such as "512MiB"')
}

/** `8081`, `127.0.0.1:8081` or `[::1]:8081`; a port alone listens on loopback. */
function healthAddress(text: string | undefined): TrainerConfig['health'] {
  if (text === undefined) return undefined
  const [, host, digits] = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) {
    throw SettingInvalid('STOKER_TRAINER_HEALTH', JSON.stringify(text), 'a port, or host:port')
  }
  return { host: host?.replace(/^\[|\]$/g, '') ?? '127.0.0.1', port }
}
