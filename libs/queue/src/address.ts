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
  /** Set for a Redis Cluster: nodes to ask for the others, `host` and `port` besides. */
  readonly clusterNodes?: readonly RedisNode[]
}
export interface RedisNode {
  readonly host: string
  readonly port: number
}
export type RedisAddress = string | RedisFields

const URL_FORM = /^(redis|rediss|unix):\/\/(?:(.*)@)?([^@]*)$/s
const HOSTS_FORM = /^([^/?]*)(?:\/(\d*))?(?:\?(.*))?$/
const HOST_FORM = /^(\[[^\]]+\]|[^:]*)(?::(\d{1,5}))?$/
const SOCKET_FORM = /^([^?]+)(?:\?db=(\d+))?$/

/**
 * Reads `redis[s]://[user[:password]@]host[:port][/db][?ca=/file.pem]`, the same with several hosts separated by `,` or
 * with `?cluster=true` for a Redis Cluster, or `unix://[user:password@]/path[?db=n]`.
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
  const [, hosts, db, query] = HOSTS_FORM.exec(rest) ?? []
  const nodes = (hosts ?? 'no:host').split(',').map(nodeOf)
  const [first, ...others] = nodes.filter((node) => node !== undefined)
  if (!first || others.length < nodes.length - 1) throw RedisAddressInvalid(hidePassword(address))
  const options = new URLSearchParams(query)
  const isCluster = others.length > 0 || options.get('cluster') === 'true'
  // A cluster has no numbered databases.
  if (isCluster && Number(db ?? 0) !== 0) throw RedisAddressInvalid(hidePassword(address))
  return {
    ...first,
    ...(isCluster ? { clusterNodes: others } : {}),
    ...credentials,
    ...(db ? { db: Number(db) } : {}),
    ...(scheme === 'rediss' ? { tls: true, ...caOf(options) } : {}),
  }
}

function nodeOf(text: string): RedisNode | undefined {
  const [, host, port = '6379'] = HOST_FORM.exec(text) ?? []
  if (host === undefined || Number(port) > 65535) return undefined
  return { host: host.replace(/^\[|\]$/g, '') || '127.0.0.1', port: Number(port) }
}

function caOf(options: URLSearchParams): Pick<RedisFields, 'caFile'> {
  const caFile = options.get('ca')
  return caFile ? { caFile } : {}
}

/** How messages name a Redis: never with user or password. */
export const redisPlace = ({ path, host = '127.0.0.1', port = 6379, clusterNodes = [] }: RedisFields): string =>
  path ?? [{ host, port }, ...clusterNodes].map((node) => `${node.host}:${node.port}`).join(',')

/** The client of a cluster knows no one address. */
const clusterPlaces = new WeakMap<Redis, string>()
export const noteClusterPlace = (redis: Redis, fields: RedisFields): void => {
  clusterPlaces.set(redis, redisPlace(fields))
}

/** The same for an open connection. */
export function placeOf(redis: Redis): string {
  const place = clusterPlaces.get(redis)
  if (place !== undefined) return place
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
