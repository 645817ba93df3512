import { Cluster, type Redis } from 'ioredis'
import { placeOf } from './address.js'
import { redisReady } from './connect.js'
import { RedisEvicts, RedisTooOld } from './error-table.js'
import { asRedisError } from './redis-error.js'

export interface RedisFacts {
  readonly version: string | undefined
  /** 0: no limit; undefined: not known. */
  readonly maxmemoryBytes: number | undefined
  readonly policy: string | undefined
  /** Checks that could not be made, each in one sentence. */
  readonly skipped: readonly string[]
}

/**
 * Refuses a Redis on which jobs would fail later: too old, or one that evicts keys. Of a cluster every master is looked
 * at; its `maxmemoryBytes` is the least of one, since all keys of a job lie on one.
 *
 * @throws RedisTooOld, RedisEvicts, RedisRefused, RedisUnavailable
 */
export async function checkRedis(redis: Redis, timeoutMs?: number): Promise<RedisFacts> {
  await redisReady(redis, timeoutMs)
  const client: unknown = redis
  if (!(client instanceof Cluster)) return checkServer(redis)
  const facts = await Promise.all(client.nodes('master').map(checkServer))
  const limits = facts.flatMap(({ maxmemoryBytes }) => (maxmemoryBytes ? [maxmemoryBytes] : []))
  const isKnown = facts.every(({ maxmemoryBytes }) => maxmemoryBytes !== undefined)
  return {
    ...{ version: facts[0]?.version, policy: facts[0]?.policy },
    maxmemoryBytes: limits.length > 0 ? Math.min(...limits) : isKnown ? 0 : undefined,
    skipped: [...new Set(facts.flatMap(({ skipped }) => skipped))],
  }
}

async function checkServer(redis: Redis): Promise<RedisFacts> {
  const info = await allowed(redis, () => redis.info())
  const line = (name: string) => info && new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1]
  const version = line('redis_version')
  const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
  if (version && (major < 6 || (major === 6 && minor < 2))) throw RedisTooOld(placeOf(redis), version)

  const policy = line('maxmemory_policy') ?? (await configValue(redis, 'maxmemory-policy'))
  const maxmemory = line('maxmemory') ?? (await configValue(redis, 'maxmemory'))
  if (policy && policy !== 'noeviction') throw RedisEvicts(placeOf(redis), policy)
  const skipped = [
    ...(version ? [] : ['the version of Redis was not checked: this user may not run INFO']),
    ...(policy ? [] : ['maxmemory-policy was not checked: this user may run neither INFO nor CONFIG GET']),
    ...(maxmemory ? [] : ['maxmemory is not known: this user may run neither INFO nor CONFIG GET']),
  ]
  return { version, policy, maxmemoryBytes: maxmemory === undefined ? undefined : Number(maxmemory), skipped }
}

async function configValue(redis: Redis, name: string): Promise<string | undefined> {
  const reply = await allowed(redis, () => redis.config('GET', name))
  const value: unknown = Array.isArray(reply) ? reply[1] : undefined
  return typeof value === 'string' ? value : undefined
}

/** The reply, or undefined where the server or its ACL does not let this user ask. */
async function allowed<T>(redis: Redis, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    const isForbidden = error instanceof Error && /^(NOPERM|ERR unknown command)/i.test(error.message)
    if (isForbidden) return undefined
    throw asRedisError(error, redis) ?? error
  }
}
