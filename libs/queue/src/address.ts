import type { Redis } from 'ioredis'
import { RedisAddressInvalid } from './error-table.js'

/** Where Redis is, as separate fields: for passwords that are awkward in a URL. */
export interface RedisFields {
  readonly host?: string
  readonly port?: number
  /** Unix socket, instead of host and port. */
  readonly path?: string
  readonly username?: string
  readonly password?: string
  readonly db?: number
  readonly tls?: boolean
  /** PEM file of the authorities that may sign the server's certificate, instead of those that Node knows. */
  readonly caFile?: string
}
export type RedisAddress = string | RedisFields

const URL_FORM = /^(redis|rediss|unix):\/\/(?:(.*)@)?([^@]*)$/s
const HOST_FORM = /^(\[[^\]]+\]|[^:/?]*)(?::(\d{1,5}))?(?:\/(\d*))?(?:\?(.*))?$/
const SOCKET_FORM = /^([^?]+)(?:\?db=(\d+))?$/

/**
 * Reads `redis[s]://[user[:password]@]host[:port][/db][?ca=/file.pem]` or `unix://[user:password@]/path[?db=n]`.
 * The last `@` ends the password, so that a raw `@`, `/` or `#` in it does no harm; percent escapes are decoded.
 *
 * @throws RedisAddressInvalid, never showing the password.
 */
export function parseRedisAddress(address: RedisAddress): RedisFields {
  if (typeof address !== 'string') return address
  const [, scheme, login, rest] = URL_FORM.exec(address) ?? []
  if (!scheme || rest === undefined) throw RedisAddressInvalid(hidePassword(address))
  const colon = login?.indexOf(':') ?? -1
  const username = login === undefined ? '' : decode(colon < 0 ? login : login.slice(0, colon))
  const credentials = {
    ...(username ? { username } : {}),
    ...(login !== undefined && colon >= 0 ? { password: decode(login.slice(colon + 1)) } : {}),
  }
  if (scheme === 'unix') {
    const [, path, db] = SOCKET_FORM.exec(rest) ?? []
    if (!path) throw RedisAddressInvalid(hidePassword(address))
    return { path, ...credentials, ...(db ? { db: Number(db) } : {}) }
  }
  const [, host, port, db, query] = HOST_FORM.exec(rest) ?? []
  if (host === undefined || Number(port ?? 0) > 65535) throw RedisAddressInvalid(hidePassword(address))
  return {
    host: host.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: Number(port ?? 6379),
    ...credentials,
    ...(db ? { db: Number(db) } : {}),
    ...(scheme === 'rediss' ? { tls: true, ...caOf(query) } : {}),
  }
}

function caOf(query: string | undefined): Pick<RedisFields, 'caFile'> {
  const caFile = new URLSearchParams(query).get('ca')
  return caFile ? { caFile } : {}
}

/** How messages name a Redis: never with user or password. */
export const redisPlace = (fields: RedisFields): string =>
  fields.path ?? `${fields.host ?? '127.0.0.1'}:${fields.port ?? 6379}`

/** The same for an open connection. */
export function placeOf(redis: Redis): string {
  const { path, host, port } = redis.options
  return redisPlace({ ...(path ? { path } : {}), ...(host ? { host } : {}), ...(port ? { port } : {}) })
}

const hidePassword = (address: string): string => address.replace(/\/\/.*@/s, '//***@')

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text // a lone % is taken as it is
  }
}
