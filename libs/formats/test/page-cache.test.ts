import type { ObjectStore } from '@stoker/storage'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPageCache, PAGE_BYTES, runsOf } from '../src/page-cache.js'
import { type Desk, openDesk } from './support.js'

const SIZE = 3 * 2 ** 20 + 12_345
const content = new Uint8Array(SIZE).map((_, at) => (Math.imul(at + 1, 2_654_435_761) >>> 24) ^ at)

let desk: Desk
let object: { uri: string; etag: string; bytes: number }
beforeAll(async () => {
  desk = await openDesk()
  const { uri, etag, size } = await desk.put('object', content)
  object = { uri, etag, bytes: size }
})
afterAll(() => desk.close())

/** The real store, with its reads counted and held until released. */
function watched(): { store: ObjectStore; reads: { offset: number; length: number }[]; release: () => void } {
  const reads: { offset: number; length: number }[] = []
  let release: () => void = () => undefined
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const read: ObjectStore['read'] = async (uri, range, options) => {
    reads.push(range)
    await gate
    options?.signal?.throwIfAborted()
    return desk.store.read(uri, range, options)
  }
  const store = new Proxy(desk.store, { get: (target, key) => (key === 'read' ? read : Reflect.get(target, key)) })
  return { store, reads, release }
}

describe('the page cache', () => {
  it('gives the bytes of any ranges', async () => {
    const cache = createPageCache(2 ** 20)
    let seed = 1
    const draw = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      return Math.floor((seed / 2 ** 32) * below)
    }
    for (let round = 0; round < 60; round++) {
      const ranges = Array.from({ length: 1 + draw(5) }, () => {
        const offset = draw(SIZE)
        return { offset, length: draw(Math.min(SIZE - offset + 1, 200_000)) }
      })
      const parts = await cache.read(desk.store, object, ranges)
      for (const [at, { offset, length }] of ranges.entries()) {
        expect(Buffer.compare(parts[at]!, content.subarray(offset, offset + length))).toBe(0)
      }
      expect(cache.stats().heldBytes).toBeLessThanOrEqual(2 ** 20)
    }
  })

  it('fetches a page once, however many ask for it at the same time', async () => {
    const cache = createPageCache(2 ** 22)
    const { store, reads, release } = watched()
    const asks = Array.from({ length: 5 }, (_, at) => cache.read(store, object, [{ offset: at * 100, length: 50 }]))
    release()
    await Promise.all(asks)
    expect(reads).toEqual([{ offset: 0, length: PAGE_BYTES }])
    await cache.read(store, object, [{ offset: 10, length: 10 }])
    expect(reads).toHaveLength(1)
    expect(cache.stats()).toMatchObject({ fetches: 1, misses: 1, hits: 5 })
  })

  it('reads through short gaps and parts long runs', () => {
    expect(runsOf([0, 1, 2])).toEqual([[0, 2]])
    expect(runsOf([0, 5, 11])).toEqual([
      [0, 5],
      [11, 11],
    ])
    expect(runsOf(Array.from({ length: 130 }, (_, page) => page))).toEqual([
      [0, 63],
      [64, 127],
      [128, 129],
    ])
  })

  it('keeps the pages that were used last', async () => {
    const cache = createPageCache(2 * PAGE_BYTES)
    const { store, reads, release } = watched()
    release()
    const touch = (page: number) => cache.read(store, object, [{ offset: page * PAGE_BYTES, length: 1 }])
    for (const page of [0, 10, 0, 20, 0]) await touch(page)
    expect(reads.map(({ offset }) => offset / PAGE_BYTES)).toEqual([0, 10, 20])
  })

  it('lets one reader go without failing the others, and stops the request when all have gone', async () => {
    const cache = createPageCache(2 ** 22)
    const { store, reads, release } = watched()
    const [first, second] = [new AbortController(), new AbortController()]
    const one = cache.read(store, object, [{ offset: 0, length: 10 }], first.signal)
    const two = cache.read(store, object, [{ offset: 20, length: 10 }], second.signal)
    first.abort()
    await expect(one).rejects.toMatchObject({ name: 'AbortError' })
    release()
    expect(await two).toHaveLength(1)
    expect(reads).toHaveLength(1)

    const gone = new AbortController()
    const held = watched()
    const third = cache.read(held.store, object, [{ offset: 2 ** 20, length: 10 }], gone.signal)
    gone.abort()
    await expect(third).rejects.toMatchObject({ name: 'AbortError' })
    const again = cache.read(held.store, object, [{ offset: 2 ** 20, length: 10 }])
    held.release()
    expect((await again)[0]).toEqual(content.slice(2 ** 20, 2 ** 20 + 10))
  })

  it('passes on a failure and asks again the next time', async () => {
    const cache = createPageCache(2 ** 22)
    await expect(
      cache.read(desk.store, { ...object, etag: 'other' }, [{ offset: 0, length: 1 }]),
    ).rejects.toMatchObject({
      code: 'STK_STORAGE_CHANGED',
    })
    expect(await cache.read(desk.store, object, [{ offset: 0, length: 1 }])).toHaveLength(1)
  })
})
