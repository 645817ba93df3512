import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, redisProgram, startChildServer } from '@stoker/services'
import { Redis } from 'ioredis'
import { vi } from 'vitest'

const SLOTS = 16384

export interface RedisCluster {
  /** As STOKER_REDIS_URL takes it. */
  readonly url: string
  readonly nodes: readonly Redis[]
  stop(): Promise<void>
}

/** Three masters on 127.0.0.1 that share the slots evenly: what `redis-cli --cluster create` does. */
export async function startRedisCluster(): Promise<RedisCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'stoker-cluster-'))
  const program = await redisProgram()
  const started = await Promise.all(
    [0, 1, 2].map(async (at) => {
      const [port, busPort] = [await freePort(), await freePort()]
      const server = await startChildServer(program, [
        ...['--port', String(port), '--cluster-port', String(busPort), '--bind', '127.0.0.1', '--dir', folder],
        ...['--cluster-enabled', 'yes', '--cluster-config-file', `nodes-${at}.conf`, '--save', ''],
        ...['--maxmemory-policy', 'noeviction'],
      ])
      const redis = new Redis({ port, host: '127.0.0.1', retryStrategy: () => 50, maxRetriesPerRequest: null })
      redis.on('error', () => {}) // not up yet
      return { port, busPort, server, redis }
    }),
  )
  await Promise.all(
    started.map(async ({ redis }, at) => {
      const [from, to] = [at, at + 1].map((third) => Math.floor((SLOTS * third) / started.length))
      await redis.call('CLUSTER', 'ADDSLOTSRANGE', String(from), String((to ?? SLOTS) - 1))
      await redis.call('CLUSTER', 'SET-CONFIG-EPOCH', String(at + 1))
    }),
  )
  const [first] = started
  for (const { redis } of started.slice(1))
    await redis.call('CLUSTER', 'MEET', '127.0.0.1', String(first?.port), String(first?.busPort))
  await vi.waitFor(
    async () => {
      for (const { redis } of started) {
        const info = String(await redis.call('CLUSTER', 'INFO'))
        if (!/cluster_state:ok/.test(info) || !/cluster_known_nodes:3/.test(info)) throw new Error(info)
      }
    },
    { timeout: 20_000, interval: 50 },
  )
  return {
    url: `redis://${started.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    nodes: started.map(({ redis }) => redis),
    stop: async () => {
      for (const { redis } of started) redis.disconnect()
      await Promise.all(started.map(({ server }) => server.stop()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}
