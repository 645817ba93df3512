import { type BatchBuffer, createBatchBuffer } from '@stoker/buffer'
import { createJobStore, type JobStore } from '@stoker/jobs'
import { connectRedis, keys } from '@stoker/queue'
import { type RunningServer, startRedis } from '@stoker/services'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BatchSource } from '../src/engine/batch-source.js'
import { FeedOrder } from '../src/io/feed-order.js'
import { feedJob } from '../src/io/feeder.js'
import { RingWriter, slotsOf } from '../src/io/ring-writer.js'
import { keepFed } from './helpers/toy-feeder.js'
import { createToyJob, type ToyFeed, toyBatch } from './helpers/toy-job.js'

let server: RunningServer
let redis: Redis
let jobs: JobStore
let buffer: BatchBuffer
beforeAll(async () => {
  server = await startRedis()
  redis = connectRedis(server.url, 'queue')
  const blocking = () => connectRedis(server.url, 'blocking')
  jobs = createJobStore(redis, blocking)
  buffer = createBatchBuffer({ redis, blocking })
})
afterAll(async () => {
  jobs.close()
  buffer.close()
  redis.disconnect()
  await server.stop()
})

/** A feeder and the engine's side of it, in one thread. */
async function openFeed(id: string, from = { epoch: 0, batch: 0 }, bounds = { ringBytes: 1 << 20, ringSlots: 4 }) {
  const stop = new AbortController()
  const source = new BatchSource({ train: id, validation: `${id}.val` }, stop.signal)
  const rings: SharedArrayBuffer[] = []
  const onRing = (shared: SharedArrayBuffer) => {
    rings.push(shared)
    source.attach(shared)
  }
  const train = await FeedOrder.open(id, jobs)
  const hasValidation = (await jobs.get(id)).spec.train?.validation !== undefined
  const validation = hasValidation ? await FeedOrder.open(`${id}.val`, jobs) : undefined
  const ring = new RingWriter(bounds, onRing, stop.signal)
  const feeding = feedJob({ buffer, train, validation, ring, from, signal: stop.signal })
  feeding.catch(() => {})
  return { source, feeding, rings, stop }
}

/** Takes epochs as the engine does; gives the places in the order seen. */
async function drain(source: BatchSource, feeds: readonly ToyFeed[], from: { epoch: number; batch: number }) {
  const seen: string[] = []
  for (let { epoch, batch } = from; epoch < 2; epoch++, batch = 0) {
    for (const [index, feed] of feeds.entries()) {
      for (let at = index === 0 ? batch : 0; ; at++) {
        const next = await source.next({ feed: index === 0 ? 'train' : 'validation', epoch, batch: at })
        if (!next) break
        const own = toyBatch(feed, epoch, at)
        const x = next.decoded.tensors.find(({ name }) => name === 'x')
        expect(Buffer.from(own).includes(Buffer.from(x!.data))).toBe(true)
        seen.push(`${index === 0 ? 't' : 'v'}${epoch}.${at}`)
        next.release()
      }
    }
  }
  return seen
}

describe('the feeder', () => {
  it('brings every batch of both feeds, epoch by epoch, and moves both cursors behind them', async () => {
    const { id, feeds } = await createToyJob(jobs, { epochs: 2, trainRecords: 40, validationRecords: 20 })
    const feeder = keepFed(server.url, buffer, feeds)
    const { source, feeding } = await openFeed(id)
    const seen = await drain(source, feeds, { epoch: 0, batch: 0 })
    expect(seen).toEqual(['t0.0', 't0.1', 't0.2', 'v0.0', 'v0.1', 't1.0', 't1.1', 't1.2', 'v1.0', 'v1.1'])
    await feeding
    expect(await buffer.cursor(id)).toEqual({ epoch: 1, batch: 3 })
    expect(await buffer.cursor(`${id}.val`)).toEqual({ epoch: 1, batch: 2 })
    expect((await buffer.stats(id)).readyBatches).toBe(0)
    await feeder.close()
  })

  it('starts in the middle of an epoch', async () => {
    const { id, feeds } = await createToyJob(jobs, { epochs: 2, trainRecords: 40 })
    await buffer.setCursor(id, { epoch: 0, batch: 2 })
    const feeder = keepFed(server.url, buffer, feeds)
    const { source, feeding } = await openFeed(id, { epoch: 0, batch: 2 })
    expect(await drain(source, feeds, { epoch: 0, batch: 2 })).toEqual(['t0.2', 't1.0', 't1.1', 't1.2'])
    await feeding
    expect(feeder.made).toEqual(['t0.2', 't1.0', 't1.1', 't1.2'].map((at) => `${id}:${at.slice(1).replace('.', ':')}`))
    await feeder.close()
  })

  it('takes no more than the ring holds while the engine is busy', async () => {
    const { id, feeds } = await createToyJob(jobs, { epochs: 2, trainRecords: 160 })
    const feeder = keepFed(server.url, buffer, feeds)
    const { source, stop, feeding } = await openFeed(id, { epoch: 0, batch: 0 }, { ringBytes: 1 << 20, ringSlots: 3 })
    const first = await source.next({ feed: 'train', epoch: 0, batch: 0 })
    // The slot of the first batch is not released: two more fit.
    await expect.poll(async () => (await buffer.cursor(id)).batch).toBe(3)
    await expect.poll(async () => (await buffer.ready(id)).map(({ batch }) => batch).at(0)).toBe(3)
    first?.release()
    await expect.poll(async () => (await buffer.cursor(id)).batch).toBe(4)
    stop.abort()
    await expect(feeding).rejects.toThrow(/abort/)
    await feeder.close()
  })

  it('goes on in a larger ring when a batch is larger than the ones before', async () => {
    const { id, feeds } = await createToyJob(jobs, { epochs: 2, trainRecords: 40 })
    const big = (feed: ToyFeed, epoch: number, batch: number) => {
      if (epoch === 0) return toyBatch(feed, epoch, batch)
      // Twenty times the rows, in one batch of another epoch.
      const order = { ...feed.order, batch: (e: number, b: number) => Array(20).fill(feed.order.batch(e, b)).flat() }
      return toyBatch({ ...feed, order }, epoch, batch)
    }
    const feeder = keepFed(server.url, buffer, feeds, { make: big })
    const { source, rings, feeding } = await openFeed(id)
    const sizes: number[] = []
    for (const epoch of [0, 1]) {
      for (let batch = 0; ; batch++) {
        const next = await source.next({ feed: 'train', epoch, batch })
        if (!next) break
        sizes.push(next.records)
        next.release()
      }
    }
    expect(sizes).toEqual([16, 16, 8, 320, 320, 160])
    expect(rings).toHaveLength(2)
    await feeding
    await feeder.close()
  })

  it('learns that an epoch has ended once the last shard is counted', async () => {
    const { id, feeds } = await createToyJob(jobs, { epochs: 1, trainRecords: 32 })
    await redis.del(keys.counts(id))
    const feeder = keepFed(server.url, buffer, feeds)
    const { source, feeding } = await openFeed(id)
    for (const batch of [0, 1]) {
      const next = await source.next({ feed: 'train', epoch: 0, batch })
      expect(next?.records).toBe(16)
      next?.release()
    }
    const end = source.next({ feed: 'train', epoch: 0, batch: 2 })
    await jobs.setCount(id, 0, 32)
    expect(await end).toBeUndefined()
    await feeding
    await feeder.close()
  })

  it('drops a batch whose bytes are damaged and takes the one that is made instead', async () => {
    const { id, feeds } = await createToyJob(jobs, { epochs: 1, trainRecords: 16 })
    const [feed] = feeds
    const damaged = toyBatch(feed!, 0, 0)
    damaged[damaged.length - 1]! ^= 1
    await buffer.put(id, 0, 0, damaged)
    const feeder = keepFed(server.url, buffer, feeds)
    const { source, feeding } = await openFeed(id)
    const next = await source.next({ feed: 'train', epoch: 0, batch: 0 })
    expect(next?.decoded.metadata.records).toBe(16)
    next?.release()
    await feeding
    expect(feeder.made).toEqual([`${id}:0:0`])
    await feeder.close()
  })

  it('ends with JobEnded when the job is cancelled', async () => {
    const { id } = await createToyJob(jobs, {})
    const { feeding } = await openFeed(id)
    await jobs.setState(id, 'cancelled')
    await expect(feeding).rejects.toMatchObject({ code: 'STK_BUFFER_JOB_ENDED' })
  })

  it('refuses a batch that is not the one asked for', async () => {
    const { id, feeds } = await createToyJob(jobs, {})
    const feeder = keepFed(server.url, buffer, feeds)
    const { source, stop } = await openFeed(id)
    await expect(source.next({ feed: 'train', epoch: 0, batch: 1 })).rejects.toMatchObject({
      code: 'STK_TRAIN_BATCH_ORDER',
      place: { epoch: 0, batch: 1 },
    })
    stop.abort()
    await feeder.close()
  })
})

describe('the ring', () => {
  it('has as many slots as its bytes allow, at most as many as asked for, one in any case', () => {
    expect(slotsOf({ ringBytes: 1000, ringSlots: 8 }, 100)).toBe(8)
    expect(slotsOf({ ringBytes: 1000, ringSlots: 8 }, 300)).toBe(3)
    expect(slotsOf({ ringBytes: 1000, ringSlots: 8 }, 5000)).toBe(1)
  })
})
