import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { formatBytes, parseBytes, type StokerError } from '@stoker/spec'
import { type StorageConfig, storageConfigFromEnv } from '@stoker/storage'
import type { Env, SharedName } from './env.js'
import { FileUnreadable, SettingInvalid } from './error-table.js'

/** Reads settings out of variables. Every method throws SettingInvalid for a value that is not allowed. */
export interface Settings<Name extends string> {
  text(name: Name, fallback: string): string
  /** An integer written in decimal digits. */
  whole(name: Name, fallback: number, limits: { readonly least: number; readonly most: number }): number
  /** A size such as `512MiB`. */
  bytes(name: Name, fallback: string, mostBytes: number): number
  /** `true` or `1`, `false` or `0`. */
  flag(name: Name, fallback: boolean): boolean
  oneOf<Value extends string>(name: Name, fallback: Value, values: readonly Value[]): Value
  /** What stands in the file that the variable names, for secrets that are mounted. @throws FileUnreadable */
  fileText(name: Name): string | undefined
  /** With the file of its authorities, where one is set: see `parseRedisAddress` of the queue. */
  redisUrl(): string
  logLevel(): string
  /** Where Stoker keeps things (no slash at the end), and how it reaches objects there and elsewhere. */
  storage(): { readonly store: string; readonly storage: StorageConfig }
  /** Modules with ops of the user's own, absolute paths. */
  ops(): readonly string[]
  /** The error for a value that the caller checks itself. */
  invalid(name: Name, expected: string): StokerError
}

const LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

export function createSettings<Name extends string>(env: Env<Name | SharedName>): Settings<Name | SharedName> {
  type Known = Name | SharedName
  const get = (name: Known): string | undefined => env[name] || undefined
  const invalid = (name: Known, expected: string) => SettingInvalid(name, JSON.stringify(env[name]), expected)
  const oneOf = <Value extends string>(name: Known, fallback: Value, values: readonly Value[]): Value => {
    const text = get(name)
    const value = text === undefined ? fallback : values.find((allowed) => allowed === text)
    if (value === undefined) throw invalid(name, `one of ${values.join(', ')}`)
    return value
  }
  return {
    invalid,
    oneOf,
    text: (name, fallback) => get(name) ?? fallback,
    whole: (name, fallback, { least, most }) => {
      const text = get(name)
      if (text === undefined) return fallback
      const value = Number(text)
      if (/^\d+$/.test(text) && value >= least && value <= most) return value
      throw invalid(name, `an integer from ${least} to ${most}`)
    },
    bytes: (name, fallback, mostBytes) => {
      const bytes = bytesOf(get(name) ?? fallback)
      if (bytes !== undefined && bytes >= 1 && bytes <= mostBytes) return bytes
      throw invalid(name, `a size from 1B to ${formatBytes(mostBytes).replace(' ', '')}, such as "${fallback}"`)
    },
    flag: (name, fallback) => {
      const text = oneOf(name, String(fallback), ['true', 'false', '1', '0'])
      return text === 'true' || text === '1'
    },
    fileText: (name) => {
      const path = get(name)
      if (path === undefined) return undefined
      try {
        return readFileSync(path, 'utf8')
      } catch (error) {
        throw FileUnreadable(name, path, error instanceof Error && 'code' in error ? String(error.code) : 'no text')
      }
    },
    redisUrl: () => {
      const url = get('STOKER_REDIS_URL') ?? 'redis://127.0.0.1:6379'
      const caFile = get('STOKER_REDIS_CA_FILE')
      if (caFile === undefined) return url
      if (!url.startsWith('rediss://')) throw invalid('STOKER_REDIS_CA_FILE', 'a rediss:// address in STOKER_REDIS_URL')
      // In the address, since that is what goes to every connection of every thread. A password may hold any character.
      const hasQuery = url.slice(url.lastIndexOf('@') + 1).includes('?')
      return `${url}${hasQuery ? '&' : '?'}ca=${encodeURIComponent(resolve(caFile))}`
    },
    logLevel: () => oneOf('STOKER_LOG_LEVEL', 'info', LEVELS),
    ops: () => {
      const given = get('STOKER_OPS')
      if (given === undefined) return []
      const paths = given.split(':').map((path) => resolve(path))
      const missing = paths.find((path) => !statSync(path, { throwIfNoEntry: false })?.isFile())
      if (missing !== undefined)
        throw invalid('STOKER_OPS', `paths of ES modules, separated by ":"; there is no file ${missing}`)
      return paths
    },
    storage: () => {
      const store = (get('STOKER_STORE') ?? `file://${process.cwd()}/.stoker/store`).replace(/(?<=.)\/+$/, '')
      return { store, storage: storageConfigFromEnv({ ...env, STOKER_STORE: store }) }
    },
  }
}

function bytesOf(text: string): number | undefined {
  try {
    return parseBytes(text)
  } catch {
    return undefined
  }
}
