import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectRedis, RedisFull, RedisUnavailable } from '@stoker/queue'
import { startRedis } from '@stoker/services'
import { afterEach, describe, expect, it } from 'vitest'
import { createBatchBuffer } from '../src/redis-buffer.js'
import { blockedClients, openBench } from './open-bench.js'

const closing: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

describe('when Redis goes away', () => {
  it('a take that waits goes on after the restart, and ready batches are still there', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'stoker-test-'))
    closing.push(() => rm(dir, { recursive: true, force: true }))
    const bench = await openBench({ dir, appendOnly: true })
    closing.push(() => bench.close())
    const buffer = bench.buffer()
    const job = await bench.job()
    await buffer.put(job, 0, 0, Uint8Array.of(1))
    const waiting = buffer.take(job, 0, 1, { waitMs: 60_000 })
    await blockedClients(bench.redis, 1)

    await bench.server.stop()
    const again = await startRedis({ dir, appendOnly: true, port: Number(new URL(bench.server.url).port) })
    closing.push(() => again.stop())

    expect([...(await buffer.take(job, 0, 0, { waitMs: 60_000 }))!]).toEqual([1])
    expect(await buffer.put(job, 0, 1, Uint8Array.of(2))).toBe('stored')
    expect([...(await waiting)!]).toEqual([2])
  })

  it('calls on a command connection fail soon, with a code', async () => {
    const server = await startRedis()
    closing.push(() => server.stop())
    const redis = connectRedis(server.url, 'command')
    closing.push(() => redis.disconnect())
    const buffer = createBatchBuffer({ redis, blocking: () => connectRedis(server.url, 'blocking') })
    await redis.ping()
    await server.stop()
    const start = performance.now()
    const error = await buffer.stats('job').catch((thrown: unknown) => thrown)
    expect(RedisUnavailable.is(error)).toBe(true)
    expect(performance.now() - start).toBeLessThan(5_000)
  })
})

it('a put into a full Redis fails with a code that says so, and works once there is room', async () => {
  const bench = await openBench({ maxmemoryBytes: 8 * 1024 * 1024 })
  closing.push(() => bench.close())
  const buffer = bench.buffer()
  const job = await bench.job()
  let stored = 0
  let error: unknown
  while (error === undefined && stored < 20) {
    await buffer.put(job, 0, stored, new Uint8Array(1_000_000)).then(
      () => stored++,
      (thrown: unknown) => {
        error = thrown
      },
    )
  }
  expect(RedisFull.is(error)).toBe(true)
  expect(stored).toBeGreaterThan(2)
  await buffer.setCursor(job, { epoch: 0, batch: stored })
  expect(await buffer.put(job, 0, stored, new Uint8Array(1_000_000))).toBe('stored')
})
