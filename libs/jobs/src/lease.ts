import { keys, luaScript, runScript } from '@stoker/queue'
import type { Redis } from 'ioredis'

/** First batch that was not released. */
export interface ReleasedTo {
  readonly epoch: number
  readonly batch: number
}

/**
 * Which coordinator looks after a job. A lease ends by itself when it is not renewed; the fencing token, higher for each
 * new holder, keeps a holder that does not know yet from writing.
 */
export interface Leases {
  /** The fencing token, also when this holder has the lease already; undefined while another one has it. */
  acquireLease(id: string, holder: string, ms: number): Promise<number | undefined>
  /** False when the lease is another's by now. */
  renewLease(id: string, token: number, ms: number): Promise<boolean>
  releaseLease(id: string, token: number): Promise<boolean>
  /** Notes how far batches were released; false when the lease is another's by now. */
  setReleased(id: string, to: ReleasedTo, token: number): Promise<boolean>
  released(id: string): Promise<ReleasedTo | undefined>
}

const ACQUIRE = luaScript(new URL('../lua/acquire-lease.lua', import.meta.url))
const RENEW = luaScript(new URL('../lua/renew-lease.lua', import.meta.url))
const RELEASE = luaScript(new URL('../lua/release.lua', import.meta.url))

export function createLeases(redis: Redis): Leases {
  const renew = async (id: string, token: number, ms: number) =>
    (await runScript(redis, RENEW, [keys.lease(id)], [token, ms])) === 1
  return {
    acquireLease: async (id, holder, ms) => {
      const token = await runScript(redis, ACQUIRE, [keys.lease(id), keys.fence(id)], [holder, Math.max(1, ms)])
      return typeof token === 'number' ? token : undefined
    },
    renewLease: (id, token, ms) => renew(id, token, Math.max(1, ms)),
    releaseLease: (id, token) => renew(id, token, 0),
    setReleased: async (id, { epoch, batch }, token) =>
      (await runScript(redis, RELEASE, [keys.lease(id), keys.released(id)], [token, epoch, batch])) === 1,
    released: async (id) => {
      const [epoch, batch] = await redis.hmget(keys.released(id), 'epoch', 'batch')
      return epoch && batch ? { epoch: Number(epoch), batch: Number(batch) } : undefined
    },
  }
}
