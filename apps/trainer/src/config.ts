import { createSettings, type Settings } from '@stoker/settings'
import type { StorageConfig } from '@stoker/storage'
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

const MOST_RING_BYTES = 2 ** 40

/** @throws SettingInvalid naming the variable, its value and what is allowed. */
export function toConfig(env: Env): TrainerConfig {
  const settings = createSettings(env)
  const health = healthAddress(settings)
  return {
    redisUrl: settings.redisUrl(),
    ...settings.storage(),
    ringBytes: settings.bytes('STOKER_TRAINER_RING', '512MiB', MOST_RING_BYTES),
    ringSlots: settings.whole('STOKER_TRAINER_RING_SLOTS', 8, { least: 2, most: 1024 }),
    graceMs: settings.whole('STOKER_TRAINER_GRACE_MS', 20_000, { least: 0, most: 3_600_000 }),
    lockMs: settings.whole('STOKER_TRAINER_LOCK_MS', 10_000, { least: 1_000, most: 600_000 }),
    ...(health ? { health } : {}),
    logLevel: settings.logLevel(),
  }
}

/** `8081`, `127.0.0.1:8081` or `[::1]:8081`; a port alone listens on loopback. */
function healthAddress(settings: Settings<keyof Env>): TrainerConfig['health'] {
  const text = settings.text('STOKER_TRAINER_HEALTH', '')
  if (text === '') return undefined
  const [, host, digits] = /^(?:(\[[^\]]+\]|[^:]+):)?(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  if (digits === undefined || port > 65_535) throw settings.invalid('STOKER_TRAINER_HEALTH', 'a port, or host:port')
  return { host: host?.replace(/^\[|\]$/g, '') ?? '127.0.0.1', port }
}
