import { readFileSync } from 'node:fs'
import type { ConnectionOptions } from 'node:tls'
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { noteClusterPlace, parseRedisAddress, placeOf, type RedisAddress, type RedisFields } from './address.js'
import { RedisCaUnreadable } from './error-table.js'
import { forgetFault, noteFault, toRedisError } from './redis-error.js'

/**
 * `command`: requests on behalf of a waiting client; fails within seconds when Redis is away.
 * `blocking`: one blocked reader (XREAD BLOCK, SUBSCRIBE); waits for Redis to come back.
 * `queue`: BullMQ and the work of long-running processes; waits for Redis to come back.
 */
export type RedisRole = 'command' | 'blocking' | 'queue'

export interface ConnectOptions {
  /** Told once when the connection is lost and once when it is back. */
  readonly say?: (message: string) => void
}

// A client may wait this long for one command; the longest is a batch of some MB over a slow line.
const COMMAND_TIMEOUT_MS = 10_000
// Silence after a command that means a dead line. A blocked read answers within its BLOCK time (5 s); a large SET does not.
const BLOCKING_SILENCE_MS = 15_000
const QUEUE_SILENCE_MS = 60_000

const RETRY_LEAST_MS = 50
const RETRY_MOST_MS = 2_000

const retryDelayMs = (attempt: number): number => {
  const most = Math.min(RETRY_MOST_MS, RETRY_LEAST_MS * 2 ** Math.min(attempt, 10))
  return Math.round(most / 2 + (Math.random() * most) / 2)
}

const ROLES = {
  command: { maxRetriesPerRequest: 1, commandTimeout: COMMAND_TIMEOUT_MS, connectTimeout: 2_000 },
  blocking: { maxRetriesPerRequest: null, socketTimeout: BLOCKING_SILENCE_MS, connectTimeout: 5_000 },
  queue: { maxRetriesPerRequest: null, socketTimeout: QUEUE_SILENCE_MS, connectTimeout: 5_000 },
} as const satisfies Record<RedisRole, Partial<RedisOptions>>

/**
 * A connection in one of three roles; connects in the background. Whoever opens it closes it with `disconnect()`.
 *
 * @throws RedisAddressInvalid, RedisCaUnreadable
 */
export function connectRedis(address: RedisAddress, role: RedisRole, options: ConnectOptions = {}): Redis {
  const fields = parseRedisAddress(address)
  const redis = fields.clusterNodes
    ? clusterOf(fields, role)
    : new Redis({ ...addressOf(fields), ...optionsOf(fields, role) })
  const place = placeOf(redis)
  let isAway = false
  const say = options.say ?? (() => {})
  redis.on('error', (error: Error) => {
    noteFault(redis, error)
    if (isAway) return
    isAway = true
    const { message, remedy } = toRedisError(error, redis)
    say(`${message}; ${role === 'command' ? 'requests fail until it is back' : 'waiting for it'} (${remedy})`)
  })
  redis.on('close', () => {
    if (isAway || redis.status === 'end') return
    isAway = true
    say(`the connection to Redis at ${place} was lost, connecting again`)
  })
  redis.on('ready', () => {
    forgetFault(redis)
    if (isAway) say(`Redis at ${place} is back`)
    isAway = false
  })
  return redis
}

const addressOf = ({ path, host = '127.0.0.1', port = 6379, db }: RedisFields): RedisOptions => ({
  ...(path ? { path } : { host, port }),
  ...(db === undefined ? {} : { db }),
})

function optionsOf(fields: RedisFields, role: RedisRole): RedisOptions {
  const { tls, username, password } = fields
  return {
    ...(username ? { username } : {}),
    ...(password === undefined ? {} : { password }),
    ...(tls ? { tls: tlsOf(fields) } : {}),
    ...ROLES[role],
    retryStrategy: retryDelayMs,
    keepAlive: 10_000,
    connectionName: `stoker-${role}`,
  }
}

/**
 * A cluster's client has the commands and events of a single server's, so that all that gets one need not know: only
 * who would read several jobs' keys at once does (see stream-watch.ts), and asks `isCluster`.
 */
function clusterOf(fields: RedisFields, role: RedisRole): Redis {
  const { host = '127.0.0.1', port = 6379, clusterNodes = [] } = fields
  const { retryStrategy: _, ...redisOptions } = optionsOf(fields, role)
  const Client = role === 'command' ? FailingCluster : Cluster
  const cluster: Redis = new Client([{ host, port }, ...clusterNodes], {
    redisOptions,
    clusterRetryStrategy: (attempt, reason) => {
      if (reason) noteFault(cluster, reason)
      return retryDelayMs(attempt)
    },
    // Names stay names, for certificates.
    dnsLookup: (address, done) => done(null, address),
  }) as unknown as Redis
  noteClusterPlace(cluster, fields)
  return cluster
}

/** While no node is known, commands wait in the cluster's client, which knows no time limit of its own. */
class FailingCluster extends Cluster {
  override sendCommand(...[command, ...rest]: Parameters<Cluster['sendCommand']>): unknown {
    command.setTimeout(COMMAND_TIMEOUT_MS)
    return super.sendCommand(command, ...rest)
  }
}

/** Certificates of hosts reached by name are checked against that name. */
function tlsOf({ host, caFile }: RedisFields): ConnectionOptions {
  const named = host && !/^[\d.:]+$/.test(host) ? { servername: host } : {}
  if (caFile === undefined) return named
  try {
    return { ...named, ca: readFileSync(caFile, 'utf8') }
  } catch (error) {
    throw RedisCaUnreadable(caFile, error instanceof Error && 'code' in error ? String(error.code) : 'no text')
  }
}

/**
 * Waits until the connection works.
 *
 * @throws RedisRefused for a wrong user or password, RedisUnavailable when there is no answer in time.
 */
export async function redisReady(redis: Redis, timeoutMs = 5_000): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  try {
    const late = new Promise<never>((_, reject) => {
      // Reads like a line's own fault, so that the last known one is told instead.
      timer = setTimeout(() => reject(new Error(`Command timed out: no answer within ${timeoutMs} ms`)), timeoutMs)
    })
    await Promise.race([redis.ping(), late])
  } catch (error) {
    throw toRedisError(error, redis)
  } finally {
    clearTimeout(timer)
  }
}
