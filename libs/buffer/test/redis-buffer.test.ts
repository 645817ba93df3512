import { randomFillSync } from 'node:crypto'
import { JobUnknown } from '@stoker/jobs'
import { keys, listenWake } from '@stoker/queue'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { JobEnded } from '../src/error-table.js'
import type { BatchBuffer } from '../src/redis-buffer.js'
import { blockedClients, openBench, type RedisBench } from './open-bench.js'

let bench: RedisBench
let buffer: BatchBuffer
let job: string
beforeAll(async () => {
  bench = await openBench()
  buffer = bench.buffer()
  job = await bench.job()
})
afterAll(() => bench.close())

const bytes = (...values: number[]) => Uint8Array.from(values)
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error,
  )

describe('put', () => {
  it('stores a batch that take gives back, byte for byte', async () => {
    const all = Uint8Array.from({ length: 256 }, (_, i) => i)
    expect(await buffer.put(job, 0, 0, all)).toBe('stored')
    expect(Buffer.compare((await buffer.take(job, 0, 0, { waitMs: 0 }))!, all)).toBe(0)
  })

  it('keeps the first of two batches and counts the second', async () => {
    const id = await bench.job()
    expect(await buffer.put(id, 0, 0, bytes(1))).toBe('stored')
    expect(await buffer.put(id, 0, 0, bytes(2))).toBe('duplicate')
    expect([...(await buffer.take(id, 0, 0, { waitMs: 0 }))!]).toEqual([1])
    expect(await buffer.stats(id)).toMatchObject({ readyBatches: 1, readyBytes: 1, puts: 1, duplicates: 1 })
  })

  it('lets exactly one of many racing writers win', async () => {
    const id = await bench.job()
    const writers = [buffer, bench.buffer(bench.connect('queue')), bench.buffer(bench.connect('queue'))]
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, (_, k) => writers.map((writer) => writer.put(id, 0, k, bytes(k)))).flat(),
    )
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(30)
    expect(outcomes.filter((outcome) => outcome === 'duplicate')).toHaveLength(60)
    expect(await buffer.stats(id)).toMatchObject({ readyBatches: 30, readyBytes: 30, puts: 30, duplicates: 60 })
  })

  it('refuses a batch behind the cursor and leaves no bytes', async () => {
    const id = await bench.job()
    await buffer.setCursor(id, { epoch: 1, batch: 5 })
    expect(await buffer.put(id, 1, 4, bytes(1))).toBe('behind')
    expect(await buffer.put(id, 0, 9, bytes(1))).toBe('behind')
    expect(await buffer.put(id, 1, 5, bytes(1))).toBe('stored')
    expect(await bench.redis.exists(keys.payload(id, 1, 4), keys.payload(id, 0, 9))).toBe(0)
    expect(await buffer.stats(id)).toMatchObject({ readyBatches: 1, behind: 2 })
  })

  it.each(['cancelled', 'failed', 'succeeded'] as const)('refuses batches of a job that is %s', async (state) => {
    const id = await bench.job()
    await bench.jobs.setState(id, state)
    expect(await buffer.put(id, 0, 0, bytes(1))).toBe('refused')
    expect(await bench.redis.exists(keys.payload(id, 0, 0))).toBe(0)
  })

  it('refuses batches of a job that never was', async () => {
    expect(await buffer.put('nosuchjob', 0, 0, bytes(1))).toBe('refused')
    expect(await bench.redis.keys('stoker:{nosuchjob}*')).toEqual([])
  })

  it('lets bytes without a commit expire, and keeps committed ones', async () => {
    const id = await bench.job()
    await bench.redis.set(keys.payload(id, 0, 0), 'half', 'PX', 60_000) // a writer that died before its commit
    expect(await buffer.take(id, 0, 0, { waitMs: 0 })).toBeUndefined()
    expect(await bench.redis.pttl(keys.payload(id, 0, 0))).toBeGreaterThan(0)
    expect(await buffer.put(id, 0, 0, Buffer.from('half'))).toBe('stored')
    expect(await bench.redis.pttl(keys.payload(id, 0, 0))).toBe(-1)
  })

  it('heals a batch whose bytes were deleted by hand', async () => {
    const id = await bench.job()
    await buffer.put(id, 0, 0, bytes(1, 2))
    await bench.redis.del(keys.payload(id, 0, 0))
    expect(await buffer.put(id, 0, 0, bytes(1, 2))).toBe('stored')
    expect(await bench.redis.pttl(keys.payload(id, 0, 0))).toBe(-1)
    expect(await buffer.stats(id)).toMatchObject({ readyBatches: 1, readyBytes: 2 })
  })

  it('says which batches of a task are still to be made', async () => {
    const id = await bench.job()
    await buffer.setCursor(id, { epoch: 0, batch: 3 })
    await buffer.put(id, 0, 4, bytes(1))
    expect(await buffer.missing(id, 0, 2, 4)).toEqual([3, 5])
    await bench.jobs.setState(id, 'cancelled')
    expect(await buffer.missing(id, 0, 2, 4)).toEqual([])
  })
})

describe('take', () => {
  it('waits for a batch that is put later', async () => {
    const id = await bench.job()
    const taken = buffer.take(id, 0, 7, { waitMs: 30_000 })
    await blockedClients(bench.redis, 1)
    await buffer.put(id, 0, 6, bytes(6)) // another batch wakes it in vain
    await buffer.put(id, 0, 7, bytes(7))
    expect([...(await taken)!]).toEqual([7])
  })

  it('never misses a put, whenever it comes', async () => {
    const id = await bench.job()
    const writer = bench.buffer(bench.connect('queue'))
    for (let k = 0; k < 200; k++) {
      // Put and take start in the same tick on two connections: either may be first at the server.
      const [taken] = await Promise.all([
        buffer.take(id, 0, k, { waitMs: 30_000 }),
        writer.put(id, 0, k, bytes(k % 256)),
      ])
      expect(taken?.[0]).toBe(k % 256)
    }
  })

  it('serves many waiters of many jobs on one blocked connection', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => bench.job()))
    const taken = Promise.all(ids.flatMap((id) => [0, 1, 2].map((k) => buffer.take(id, 0, k, { waitMs: 30_000 }))))
    for (const k of [2, 0, 1]) await Promise.all(ids.map((id, n) => buffer.put(id, 0, k, bytes(n, k))))
    expect((await taken).map((batch) => [...batch!])).toEqual(ids.flatMap((_, n) => [0, 1, 2].map((k) => [n, k])))
  })

  it('gives up after its time', async () => {
    const start = performance.now()
    expect(await buffer.take(job, 0, 99, { waitMs: 50 })).toBeUndefined()
    expect(performance.now() - start).toBeGreaterThanOrEqual(49)
  })

  it('stops at once when its signal aborts', async () => {
    const control = new AbortController()
    const taken = failure(buffer.take(job, 0, 99, { signal: control.signal }))
    await blockedClients(bench.redis, 1)
    const reason = new Error('no longer')
    control.abort(reason)
    expect(await taken).toBe(reason)
    expect(await failure(buffer.take(job, 0, 99, { signal: control.signal }))).toBe(reason)
  })

  it('stops when the job ends, and still gives what is ready', async () => {
    const id = await bench.job()
    await buffer.put(id, 0, 0, bytes(1))
    const waiting = failure(buffer.take(id, 0, 1))
    await blockedClients(bench.redis, 1)
    await bench.jobs.setState(id, 'cancelled')
    expect(JobEnded.is(await waiting)).toBe(true)
    expect([...(await buffer.take(id, 0, 0))!]).toEqual([1])
    expect(JobEnded.is(await failure(buffer.take(id, 0, 1)))).toBe(true)
  })

  it('of a job that never was fails', async () => {
    expect(JobUnknown.is(await failure(buffer.take('nosuchjob', 0, 0)))).toBe(true)
  })

  it('tells the coordinator what it waits for, until it has it', async () => {
    const id = await bench.job()
    const woken: string[] = []
    let isListening: () => void
    const listening = new Promise<void>((resolve) => {
      isListening = resolve
    })
    const listener = listenWake(() => bench.connect('blocking'), {
      onWake: (which) => woken.push(which),
      onGap: () => isListening(),
    })
    await listening
    expect(await buffer.wanted(id)).toBeUndefined()
    expect(await buffer.take(id, 2, 3, { waitMs: 20 })).toBeUndefined()
    expect(await buffer.wanted(id)).toMatchObject({ epoch: 2, batch: 3 })
    await buffer.put(id, 2, 3, bytes(1))
    await buffer.take(id, 2, 3)
    expect(await buffer.wanted(id)).toBeUndefined()
    await buffer.take(id, 2, 4, { waitMs: 0 })
    await buffer.setCursor(id, { epoch: 2, batch: 5 })
    expect(await buffer.wanted(id)).toBeUndefined()
    expect(woken).toContain(id)
    listener.close()
  })

  it('strikes out a batch whose bytes are gone, so that it is made again', async () => {
    const id = await bench.job()
    await buffer.put(id, 0, 0, bytes(1, 2, 3))
    await bench.redis.del(keys.payload(id, 0, 0))
    const taken = buffer.take(id, 0, 0, { waitMs: 30_000 })
    await blockedClients(bench.redis, 1)
    expect(await buffer.stats(id)).toMatchObject({ readyBatches: 0, readyBytes: 0, lost: 1 })
    expect(await buffer.missing(id, 0, 0, 1)).toEqual([0])
    expect(await buffer.put(id, 0, 0, bytes(1, 2, 3))).toBe('stored')
    expect([...(await taken)!]).toEqual([1, 2, 3])
  })
})

describe('the cursor', () => {
  it('starts at the first batch, and frees what it passes', async () => {
    const id = await bench.job()
    expect(await buffer.cursor(id)).toEqual({ epoch: 0, batch: 0 })
    for (const k of [0, 1, 2, 10]) await buffer.put(id, 0, k, bytes(k, k))
    await buffer.put(id, 1, 0, bytes(9))
    await buffer.setCursor(id, { epoch: 0, batch: 2 })
    expect(await buffer.cursor(id)).toEqual({ epoch: 0, batch: 2 })
    expect(await buffer.ready(id)).toEqual([
      { epoch: 0, batch: 2, bytes: 2 },
      { epoch: 0, batch: 10, bytes: 2 },
      { epoch: 1, batch: 0, bytes: 1 },
    ])
    expect(await buffer.stats(id)).toMatchObject({ readyBatches: 3, readyBytes: 5, freed: 2 })
    expect(await bench.redis.exists(keys.payload(id, 0, 0), keys.payload(id, 0, 1))).toBe(0)
    await buffer.setCursor(id, { epoch: 1, batch: 0 })
    expect(await buffer.ready(id)).toEqual([{ epoch: 1, batch: 0, bytes: 1 }])
  })

  it('moved back leaves what is there and lets the rest be put again', async () => {
    const id = await bench.job()
    for (const k of [0, 1, 2]) await buffer.put(id, 0, k, bytes(k))
    await buffer.setCursor(id, { epoch: 0, batch: 2 })
    await buffer.setCursor(id, { epoch: 0, batch: 0 })
    expect(await buffer.ready(id)).toEqual([{ epoch: 0, batch: 2, bytes: 1 }])
    expect(await buffer.put(id, 0, 0, bytes(0))).toBe('stored')
    expect([...(await buffer.take(id, 0, 0))!]).toEqual([0])
    expect(await buffer.stats(id)).toMatchObject({ rewinds: 1, readyBatches: 2 })
  })

  it('of a job that never was cannot be moved', async () => {
    expect(JobUnknown.is(await failure(buffer.setCursor('nosuchjob', { epoch: 0, batch: 1 })))).toBe(true)
    expect(await bench.redis.keys('stoker:{nosuchjob}*')).toEqual([])
  })

  it('gives the memory back: a thousand batches leave nothing behind', async () => {
    const id = await bench.job()
    const batch = randomFillSync(new Uint8Array(1000))
    for (let k = 0; k < 1000; k += 50) {
      await Promise.all(Array.from({ length: 50 }, (_, n) => buffer.put(id, 0, k + n, batch)))
      await buffer.setCursor(id, { epoch: 0, batch: k + 50 })
    }
    expect(await buffer.stats(id)).toMatchObject({ readyBatches: 0, readyBytes: 0, puts: 1000, freed: 1000 })
    expect(await bench.redis.keys(`${keys.payloadPrefix(id)}*`)).toEqual([])
    expect(await bench.redis.xlen(keys.readyStream(id))).toBeLessThan(1200)
  })
})

describe('large batches', () => {
  it('of 4.8 MB come back unchanged, several at once', async () => {
    const id = await bench.job()
    const batches = Array.from({ length: 6 }, () => randomFillSync(new Uint8Array(4_816_896)))
    const taken = Promise.all(batches.map((_, k) => buffer.take(id, 0, k, { waitMs: 60_000 })))
    await Promise.all(batches.map((batch, k) => buffer.put(id, 0, k, batch)))
    for (const [k, found] of (await taken).entries()) expect(Buffer.compare(found!, batches[k]!)).toBe(0)
    expect(await buffer.stats(id)).toMatchObject({ readyBatches: 6, readyBytes: 6 * 4_816_896 })
    expect(await buffer.drop(id)).toBe(6)
    expect(await buffer.stats(id)).toMatchObject({ readyBatches: 0, readyBytes: 0 })
    expect(await bench.redis.keys(`${keys.payloadPrefix(id)}*`)).toEqual([])
  })
})

describe('a preview', () => {
  it('is asked for, made and handed over without entering the buffer', async () => {
    const id = await bench.job()
    const request = () => buffer.putPreview(id, 3, 4, bytes(3, 4))
    expect([...(await buffer.preview(id, 3, 4, { request, waitMs: 30_000 }))!]).toEqual([3, 4])
    expect(await buffer.ready(id)).toEqual([])
    expect(await buffer.wanted(id)).toBeUndefined()
    expect(await bench.redis.pttl(keys.preview(id, 3, 4))).toBeGreaterThan(0)
  })

  it('comes from the buffer when the batch is there', async () => {
    const id = await bench.job()
    await buffer.put(id, 0, 0, bytes(5))
    const request = () => Promise.reject(new Error('it must not be made again'))
    expect([...(await buffer.preview(id, 0, 0, { request }))!]).toEqual([5])
  })

  it('hands over the error that kept it from being made', async () => {
    const id = await bench.job()
    const request = () =>
      buffer.failPreview(id, 0, 0, { code: 'STK_TEST', message: 'no', retryable: false, place: { record: 7 } })
    expect(await failure(buffer.preview(id, 0, 0, { request, waitMs: 30_000 }))).toMatchObject({
      code: 'STK_TEST',
      place: { record: 7 },
    })
  })

  it('gives up after its time', async () => {
    const id = await bench.job()
    expect(await buffer.preview(id, 0, 0, { request: async () => {}, waitMs: 20 })).toBeUndefined()
  })
})
