import type { ObjectStore } from '@stoker/storage'
import { createLimiter } from './limiter.js'

export const PAGE_BYTES = 64 * 1024
/** Pages between two wanted ones that are read through rather than asked for apart: 256 KiB cost less than a request. */
const GAP_PAGES = 4
/** Pages of one request: 4 MiB. */
const FETCH_PAGES = 64
/** Requests at once, so at most 32 MiB are in flight beside the cache. */
const FETCHES = 8

export interface Range {
  readonly offset: number
  readonly length: number
}

/** An object whose bytes never change: the ETag is part of its name in the cache. */
export interface PinnedObject {
  readonly uri: string
  readonly etag: string
  readonly bytes: number
}

export interface PageCacheStats {
  readonly heldBytes: number
  readonly hits: number
  readonly misses: number
  readonly fetches: number
  readonly fetchedBytes: number
}

/**
 * Bytes of objects in pages of 64 KiB, least recently used out first. A page is fetched once, however many ask for it
 * at the same time; neighbouring pages are fetched by one request. `maxBytes` bounds what the cache holds; results
 * may keep pages alive as long as their caller needs them.
 */
export interface PageCache {
  /** Bytes of each range, in the order asked. Views where a range lies within one page: they must not be written to. */
  read(store: ObjectStore, object: PinnedObject, ranges: readonly Range[], signal?: AbortSignal): Promise<Uint8Array[]>
  stats(): PageCacheStats
}

/** One request under way, shared by all who wait for one of its pages; it is aborted when nobody waits any more. */
interface Flight {
  readonly pages: Promise<ReadonlyMap<number, Uint8Array>>
  readonly abort: AbortController
  waiters: number
}

export function createPageCache(maxBytes: number): PageCache {
  const held = new Map<string, Uint8Array>()
  const flights = new Map<string, Flight>()
  const limited = createLimiter(FETCHES)
  const count = { heldBytes: 0, hits: 0, misses: 0, fetches: 0, fetchedBytes: 0 }

  function touch(key: string): Uint8Array | undefined {
    const page = held.get(key)
    if (!page) return undefined
    held.delete(key)
    held.set(key, page)
    return page
  }

  function keep(key: string, page: Uint8Array): void {
    if (held.has(key)) return
    held.set(key, page)
    count.heldBytes += page.length
    for (const [oldest, bytes] of held) {
      if (count.heldBytes <= maxBytes) break
      held.delete(oldest)
      count.heldBytes -= bytes.length
    }
  }

  function launch(store: ObjectStore, object: PinnedObject, first: number, last: number): Flight {
    const abort = new AbortController()
    const keys: string[] = []
    for (let page = first; page <= last; page++) keys.push(keyOf(object, page))
    const pages = limited(async () => {
      abort.signal.throwIfAborted()
      const offset = first * PAGE_BYTES
      const length = Math.min((last + 1) * PAGE_BYTES, object.bytes) - offset
      const bytes = await store.read(object.uri, { offset, length }, { etag: object.etag, signal: abort.signal })
      count.fetches++
      count.fetchedBytes += length
      const cut = new Map<number, Uint8Array>()
      for (let page = first; page <= last; page++) {
        const start = page * PAGE_BYTES - offset
        // A copy: a view would keep the whole response alive behind one page.
        const copy = bytes.slice(start, start + PAGE_BYTES)
        cut.set(page, copy)
        keep(keyOf(object, page), copy)
      }
      return cut
    }).finally(() => {
      for (const key of keys) if (flights.get(key) === flight) flights.delete(key)
    })
    // Whoever waits gets the failure; when all have gone, nobody is left to tell.
    pages.catch(() => undefined)
    const flight: Flight = { pages, abort, waiters: 0 }
    for (const key of keys) {
      const other = flights.get(key)
      if (!held.has(key) && (!other || other.abort.signal.aborted)) flights.set(key, flight)
    }
    return flight
  }

  async function wait(flight: Flight, signal: AbortSignal | undefined): Promise<ReadonlyMap<number, Uint8Array>> {
    flight.waiters++
    try {
      return await (signal ? untilAborted(flight.pages, signal) : flight.pages)
    } finally {
      flight.waiters--
      if (flight.waiters === 0) flight.abort.abort()
    }
  }

  async function pagesOf(
    store: ObjectStore,
    object: PinnedObject,
    wanted: readonly number[],
    signal: AbortSignal | undefined,
  ): Promise<Map<number, Uint8Array>> {
    const found = new Map<number, Uint8Array>()
    const missing: number[] = []
    const joined = new Set<Flight>()
    for (const page of wanted) {
      const key = keyOf(object, page)
      const bytes = touch(key)
      const flight = flights.get(key)
      if (bytes) found.set(page, bytes)
      else if (flight && !flight.abort.signal.aborted) joined.add(flight)
      else missing.push(page)
    }
    count.hits += wanted.length - missing.length
    count.misses += missing.length
    for (const [first, last] of runsOf(missing)) joined.add(launch(store, object, first, last))
    for (const pages of await Promise.all([...joined].map((flight) => wait(flight, signal)))) {
      for (const [page, bytes] of pages) found.set(page, bytes)
    }
    return found
  }

  return {
    async read(store, object, ranges, signal) {
      signal?.throwIfAborted()
      const pages = await pagesOf(store, object, pagesUnder(ranges), signal)
      return ranges.map((range) => assemble(pages, range))
    },
    stats: () => ({ ...count }),
  }
}

const keyOf = (object: PinnedObject, page: number): string => `${object.uri}\n${object.etag}\n${page}`

/** Numbers of the pages under the ranges, ascending, each once. */
function pagesUnder(ranges: readonly Range[]): number[] {
  const pages = new Set<number>()
  for (const { offset, length } of ranges) {
    if (length === 0) continue
    const last = Math.floor((offset + length - 1) / PAGE_BYTES)
    for (let page = Math.floor(offset / PAGE_BYTES); page <= last; page++) pages.add(page)
  }
  return [...pages].sort((a, b) => a - b)
}

/** Runs of pages for one request each; short gaps are read through. */
export function runsOf(pages: readonly number[]): [first: number, last: number][] {
  const runs: [number, number][] = []
  for (const page of pages) {
    const run = runs.at(-1)
    if (run && page - run[1] - 1 <= GAP_PAGES && page - run[0] < FETCH_PAGES) run[1] = page
    else runs.push([page, page])
  }
  return runs
}

function assemble(pages: ReadonlyMap<number, Uint8Array>, { offset, length }: Range): Uint8Array {
  if (length === 0) return new Uint8Array(0)
  const first = Math.floor(offset / PAGE_BYTES)
  const last = Math.floor((offset + length - 1) / PAGE_BYTES)
  const start = offset - first * PAGE_BYTES
  if (first === last) return pageAt(pages, first).subarray(start, start + length)
  const out = new Uint8Array(length)
  let at = 0
  for (let page = first; page <= last; page++) {
    const bytes = pageAt(pages, page)
    const part = bytes.subarray(page === first ? start : 0, page === first ? bytes.length : length - at)
    out.set(part, at)
    at += part.length
  }
  return out
}

function pageAt(pages: ReadonlyMap<number, Uint8Array>, page: number): Uint8Array {
  const bytes = pages.get(page)
  if (!bytes) throw new RangeError(`page ${page} was not fetched; there are: ${[...pages.keys()].join(', ')}`)
  return bytes
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
