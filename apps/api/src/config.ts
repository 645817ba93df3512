import { createSecureContext } from 'node:tls'
import { type ApiKey, createSettings, parseApiKeys, type Settings } from '@stoker/settings'
import type { StorageConfig } from '@stoker/storage'
import { isLoopback } from './access/loopback.js'
import { OpenAddress, TlsInvalid } from './error-table.js'
import type { Env } from './read-env.js'

/** Holds the Redis password and a private key, so it never reaches a log. */
export interface ApiConfig {
  readonly redisUrl: string
  readonly storage: StorageConfig
  /** URI prefix of what is kept across jobs: indexes, inflated shards, lists of files. */
  readonly scratch: string
  readonly host: string
  /** 0: a free one. */
  readonly port: number
  /** None: everybody on this machine may do everything, and `host` is loopback. */
  readonly keys: readonly ApiKey[]
  /** Plain HTTP when left out. PEM. */
  readonly tls?: { readonly certificate: string; readonly privateKey: string }
  /** Of each key; 0: any number. */
  readonly requestsPerMinute: number
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

/** @throws SettingInvalid naming the variable, its value and what is allowed; ApiKeysInvalid, OpenAddress, TlsInvalid. */
export function toConfig(env: Env): ApiConfig {
  const settings = createSettings(env)
  const { store, storage } = settings.storage()
  const host = settings.text('STOKER_HOST', '127.0.0.1')
  const keys = keysOf(settings)
  if (keys.length === 0 && !isLoopback(host)) throw OpenAddress(host)
  return {
    redisUrl: settings.redisUrl(),
    storage,
    scratch: `${store}/scratch`,
    ...{ host, keys },
    ...tlsOf(settings),
    port: settings.whole('STOKER_PORT', 7070, { least: 0, most: 65_535 }),
    requestsPerMinute: settings.whole('STOKER_RATE_LIMIT', 60_000, { least: 0, most: 10_000_000 }),
    bodyLimitBytes: settings.bytes('STOKER_BODY_LIMIT', '8MiB', MOST_BODY_BYTES),
    previewTimeoutMs: settings.whole('STOKER_PREVIEW_TIMEOUT_MS', 20_000, { least: 1, most: 600_000 }),
    ops: settings.ops(),
    logLevel: settings.logLevel(),
  }
}

type Known = Settings<keyof Env>

function keysOf(settings: Known): ApiKey[] {
  const file = settings.fileText('STOKER_API_KEYS_FILE')
  const mounted = parseApiKeys(file ?? '', 'STOKER_API_KEYS_FILE')
  // A file that is empty by mistake must not open the server to everybody.
  if (file !== undefined && mounted.length === 0) throw settings.invalid('STOKER_API_KEYS_FILE', 'a file with a key')
  // Together, so that no name is given twice.
  const given = settings.text('STOKER_API_KEYS', '')
  return parseApiKeys(`${given}\n${file ?? ''}`, 'STOKER_API_KEYS and STOKER_API_KEYS_FILE')
}

function tlsOf(settings: Known): Pick<ApiConfig, 'tls'> {
  const certificate = settings.fileText('STOKER_TLS_CERT_FILE')
  const privateKey = settings.fileText('STOKER_TLS_KEY_FILE')
  if (certificate === undefined && privateKey === undefined) return {}
  if (certificate === undefined || privateKey === undefined) throw TlsInvalid('one of them is not set')
  try {
    createSecureContext({ cert: certificate, key: privateKey })
  } catch (error) {
    throw TlsInvalid(error instanceof Error ? error.message : 'they are no PEM')
  }
  return { tls: { certificate, privateKey } }
}
