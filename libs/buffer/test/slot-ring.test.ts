import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { defineError } from '@stoker/spec'
import { describe, expect, it } from 'vitest'
import { RingClosed, RingMisused, SlotTooSmall } from '../src/error-table.js'
import type { RingConsumer, TakenSlot, TakeOutcome } from '../src/ring-consumer.js'
import { decodeBatch, encodeBatch } from '../src/safetensors.js'
import { batchSha256 } from '../src/sha256.js'
import { SlotRing } from '../src/slot-ring.js'
import { METADATA, TENSORS } from './golden/case.js'

const Broken = defineError('STK_TEST_BROKEN', 'broken at %s', { retryable: true })
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error: unknown) => error,
  )
const thrown = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}
function slot(outcome: TakeOutcome): TakenSlot {
  if (typeof outcome === 'string') throw new Error(`no slot but ${outcome}`)
  return outcome
}
const publish = async (ring: ReturnType<SlotRing['producer']>, batch: number) => {
  const reserved = await ring.reserve()
  reserved.bytes[0] = batch
  reserved.publish({ epoch: 0, batch, length: 1 })
}

describe('a ring between two threads', () => {
  const thread = (ring: SlotRing, count: number, how: string) =>
    new Worker(new URL('./ring-thread.mjs', import.meta.url), { workerData: { shared: ring.shared, count, how } })

  async function drain(take: (consumer: RingConsumer) => TakeOutcome | Promise<TakeOutcome>) {
    const ring = SlotRing.create({ slots: 3, slotBytes: 128 })
    const count = 5_000
    const worker = thread(ring, count, 'end')
    const exited = once(worker, 'exit')
    const consumer = ring.consumer()
    for (let batch = 0; batch < count; batch++) {
      const taken = slot(await take(consumer))
      expect({ epoch: taken.epoch, batch: taken.batch, length: taken.bytes.length }).toEqual({
        epoch: 1,
        batch,
        length: 8 + (batch % 100),
      })
      const { buffer, byteOffset } = taken.bytes
      expect(new DataView(buffer, byteOffset).getFloat64(0)).toBe(batch)
      expect(taken.bytes.subarray(8).every((byte) => byte === batch % 256)).toBe(true)
      taken.release()
    }
    expect(await take(consumer)).toBe('ended')
    expect(await exited).toEqual([0])
    expect(ring.stats().takes).toBe(count)
  }

  it('carries every batch once, in order and whole, to a thread that blocks', () =>
    drain((consumer) => consumer.takeBlocking(30_000)))

  it('carries every batch once, in order and whole, to a thread that awaits', () =>
    drain((consumer) => consumer.take({ timeoutMs: 30_000 })))

  it('tells a blocked thread of the error that the other one failed with', async () => {
    const ring = SlotRing.create({ slots: 2, slotBytes: 128 })
    const worker = thread(ring, 0, 'fail')
    const exited = once(worker, 'exit')
    expect(thrown(() => ring.consumer().takeBlocking(30_000))).toMatchObject({
      code: 'STK_TEST',
      message: 'broken',
      retryable: true,
      place: { batch: 0 },
    })
    await exited
  })

  it('tells a thread that waits for a free slot that the other one closed', async () => {
    const ring = SlotRing.create({ slots: 2, slotBytes: 128 })
    const worker = thread(ring, 10, 'end')
    const error = once(worker, 'error')
    const consumer = ring.consumer()
    expect(slot(consumer.takeBlocking(30_000)).batch).toBe(0)
    consumer.close()
    expect((await error)[0]).toMatchObject({ code: 'STK_RING_CLOSED' })
  })
})

describe('the producer', () => {
  it('waits while the ring is full, and goes on with the first release', async () => {
    const ring = SlotRing.create({ slots: 2, slotBytes: 8 })
    const producer = ring.producer()
    const consumer = ring.consumer()
    await publish(producer, 0)
    await publish(producer, 1)
    expect(producer.free).toBe(0)
    let isReserved = false
    const third = producer.reserve().then((reserved) => {
      isReserved = true
      return reserved
    })
    const first = slot(consumer.takeBlocking(0))
    expect(await Promise.race([third, consumer.take({ timeoutMs: 0 })])).toMatchObject({ batch: 1 })
    expect(isReserved).toBe(false)
    first.release()
    ;(await third).publish({ epoch: 0, batch: 2, length: 0 })
    expect(consumer.ready).toBe(1)
  })

  it('gives slots in the order of the calls, and takes batches in that order only', async () => {
    const ring = SlotRing.create({ slots: 3, slotBytes: 8 })
    const producer = ring.producer()
    const [a, b] = await Promise.all([producer.reserve(), producer.reserve()])
    expect(RingMisused.is(thrown(() => b.publish({ epoch: 0, batch: 1, length: 1 })))).toBe(true)
    a.publish({ epoch: 0, batch: 0, length: 1 })
    b.publish({ epoch: 0, batch: 1, length: 1 })
    expect(RingMisused.is(thrown(() => a.publish({ epoch: 0, batch: 0, length: 1 })))).toBe(true)
  })

  it('refuses a batch that is larger than a slot, naming both sizes', async () => {
    const ring = SlotRing.create({ slots: 1, slotBytes: 8 })
    const reserved = await ring.producer().reserve()
    const error = thrown(() => reserved.publish({ epoch: 2, batch: 3, length: 9 }))
    expect(SlotTooSmall.is(error)).toBe(true)
    expect(error).toMatchObject({ message: expect.stringContaining('9 bytes'), place: { epoch: 2, batch: 3 } })
  })

  it('stops waiting when its signal aborts, and the next one gets the slot', async () => {
    const ring = SlotRing.create({ slots: 1, slotBytes: 8 })
    const producer = ring.producer()
    await publish(producer, 0)
    const control = new AbortController()
    const waiting = failure(producer.reserve(control.signal))
    const next = producer.reserve()
    control.abort(new Error('stop'))
    expect(await waiting).toBe(control.signal.reason)
    slot(ring.consumer().takeBlocking(0)).release()
    expect((await next).bytes.length).toBe(8)
  })
})

describe('the consumer', () => {
  it('counts what was ready at each take and how long it waited', async () => {
    const ring = SlotRing.create({ slots: 4, slotBytes: 8 })
    const producer = ring.producer()
    const consumer = ring.consumer()
    const waiting = consumer.take({ timeoutMs: 30_000 })
    await publish(producer, 0)
    const first = slot(await waiting)
    expect(first.readyAtTake).toBe(0)
    expect(first.waitedMs).toBeGreaterThan(0)
    for (const batch of [1, 2, 3]) await publish(producer, batch)
    const second = slot(consumer.takeBlocking(0))
    expect(second).toMatchObject({ readyAtTake: 3, waitedMs: 0, batch: 1 })
    expect(ring.stats()).toMatchObject({ takes: 2, emptyTakes: 1, readySum: 3, waitedMs: first.waitedMs })
  })

  it('gives up after its time, which counts as waited', async () => {
    const ring = SlotRing.create({ slots: 1, slotBytes: 8 })
    const consumer = ring.consumer()
    expect(consumer.takeBlocking(20)).toBe('timeout')
    expect(await consumer.take({ timeoutMs: 20 })).toBe('timeout')
    expect(ring.stats().waitedMs).toBeGreaterThanOrEqual(39)
    expect(ring.stats().takes).toBe(0)
  })

  it('stops when its signal aborts', async () => {
    const control = new AbortController()
    const waiting = failure(SlotRing.create({ slots: 1, slotBytes: 8 }).consumer().take({ signal: control.signal }))
    control.abort(new Error('stop'))
    expect(await waiting).toBe(control.signal.reason)
  })

  it('gives slots back in order, once', async () => {
    const ring = SlotRing.create({ slots: 2, slotBytes: 8 })
    const producer = ring.producer()
    const consumer = ring.consumer()
    await publish(producer, 0)
    await publish(producer, 1)
    const [a, b] = [slot(consumer.takeBlocking(0)), slot(consumer.takeBlocking(0))]
    expect(RingMisused.is(thrown(() => b.release()))).toBe(true)
    a.release()
    b.release()
    expect(RingMisused.is(thrown(() => a.release()))).toBe(true)
  })
})

describe('the end', () => {
  it('comes after what was published, and nothing can be published after it', async () => {
    const ring = SlotRing.create({ slots: 2, slotBytes: 8 })
    const producer = ring.producer()
    await publish(producer, 0)
    producer.end()
    expect(RingMisused.is(await failure(producer.reserve()))).toBe(true)
    const consumer = ring.consumer()
    slot(consumer.takeBlocking(0)).release()
    expect(consumer.takeBlocking(0)).toBe('ended')
    expect(await consumer.take()).toBe('ended')
  })

  it('by an error reaches the other side at once, whichever side that is', async () => {
    const forward = SlotRing.create({ slots: 2, slotBytes: 8 })
    await publish(forward.producer(), 0)
    forward.producer().fail(Broken('shard'))
    expect(Broken.is(thrown(() => forward.consumer().takeBlocking(0)))).toBe(true)

    const backward = SlotRing.create({ slots: 1, slotBytes: 8 })
    const producer = backward.producer()
    await publish(producer, 0)
    const waiting = failure(producer.reserve())
    backward.consumer().fail(Broken('step').with({ place: { batch: 4 }, remedy: 'mend it' }))
    expect(await waiting).toMatchObject({
      code: 'STK_TEST_BROKEN',
      message: 'broken at step',
      retryable: true,
      place: { batch: 4 },
      remedy: 'mend it',
    })
  })

  it('by the first error stands; a later one, or a close, changes nothing', async () => {
    const ring = SlotRing.create({ slots: 1, slotBytes: 8 })
    ring.consumer().fail(Broken('first'))
    ring.consumer().fail(Broken('second'))
    ring.producer().close()
    expect(await failure(ring.producer().reserve())).toMatchObject({ message: 'broken at first' })
  })

  it('by close names the side that closed', async () => {
    const ring = SlotRing.create({ slots: 1, slotBytes: 8 })
    ring.producer().close()
    const error = thrown(() => ring.consumer().takeBlocking(1000))
    expect(RingClosed.is(error)).toBe(true)
    expect(error).toMatchObject({ message: expect.stringContaining('producer') })
  })

  it('keeps the code of an error whose message is too long for the ring', () => {
    const ring = SlotRing.create({ slots: 1, slotBytes: 8 })
    ring.producer().fail(Broken('x'.repeat(100_000)))
    expect(Broken.is(thrown(() => ring.consumer().takeBlocking(0)))).toBe(true)
  })
})

it('a batch in a slot decodes and hashes in place', async () => {
  const encoded = encodeBatch(TENSORS, METADATA)
  const ring = SlotRing.create({ slots: 1, slotBytes: encoded.length + 13 })
  const reserved = await ring.producer().reserve()
  reserved.bytes.set(encoded)
  reserved.publish({ epoch: 1, batch: 2 ** 32, length: encoded.length })
  const taken = slot(ring.consumer().takeBlocking(0))
  expect(taken.batch).toBe(2 ** 32)
  expect(decodeBatch(taken.bytes).tensors.every(({ data }) => data.buffer === ring.shared)).toBe(true)
  expect(batchSha256(taken.bytes)).toBe(batchSha256(encoded))
  expect(createHash('sha256').update(taken.bytes).digest('hex')).toBe(
    createHash('sha256').update(encoded).digest('hex'),
  )
})

it('memory that is no ring is refused', () => {
  expect(RingMisused.is(thrown(() => SlotRing.attach(new SharedArrayBuffer(8))))).toBe(true)
  expect(RingMisused.is(thrown(() => SlotRing.attach(new SharedArrayBuffer(8192))))).toBe(true)
  expect(RingMisused.is(thrown(() => SlotRing.create({ slots: 0, slotBytes: 8 })))).toBe(true)
})
