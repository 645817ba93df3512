import { mkdir, open } from 'node:fs/promises'
import { join } from 'node:path'
import { canStartS3 } from '@stoker/services'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { AccessDenied, ObjectMissing } from '../src/error-table.js'
import { createStore, type ObjectStore, type Retry } from '../src/index.js'
import { failureOf, s3Backend, text } from './backends.js'
import { type FaultProxy, startFaultProxy } from './fault-proxy.js'

const MIB = 1024 * 1024

// Cases s3-slow-h and s3-socket-h of other people's systems.
describe.skipIf(!(await canStartS3()))('s3: under load', { timeout: 180_000 }, () => {
  let backend: Awaited<ReturnType<typeof s3Backend>>
  let proxy: FaultProxy
  let store: ObjectStore
  const retries: Retry[] = []
  beforeAll(async () => {
    backend = await s3Backend()
    proxy = await startFaultProxy(backend.server.url)
    const { accessKeyId, secretAccessKey } = backend.server
    const s3 = { endpoint: proxy.url, credentials: { accessKeyId, secretAccessKey } }
    store = createStore({ fileRoots: [], s3 }, { onRetry: (retry) => retries.push(retry) })
  }, 300_000)
  afterAll(async () => {
    await store?.close()
    await proxy?.close()
    await backend?.close()
  })

  it('reads all while 30 % of the requests are answered SlowDown, waiting longer each time, and counts the waits', async () => {
    const { uri, etag } = await backend.store.write('s3://data/slow', text('slow'))
    let refused = 0
    const random = seededRandom(7)
    proxy.onRequest(() => {
      if (random() >= 0.3) return undefined
      refused++
      return { status: 503, code: 'SlowDown' }
    })
    const reads = Array.from({ length: 150 }, () => store.read(uri, { offset: 0, length: 4 }, { etag }))
    for (const read of reads) expect(await read).toEqual(text('slow'))
    expect(refused).toBeGreaterThan(30)
    expect(retries).toHaveLength(refused)
    expect(retries.every(({ reason }) => reason === 'THROTTLING')).toBe(true)
    for (const { retry, delayMs } of retries) {
      const ceiling = Math.min(10_000, 250 * 2 ** (retry - 1))
      expect(delayMs).toBeGreaterThanOrEqual(ceiling / 2)
      expect(delayMs).toBeLessThanOrEqual(ceiling)
    }
    // The waits of many readers are spread, so that they do not come back together.
    expect(new Set(retries.filter(({ retry }) => retry === 1).map(({ delayMs }) => delayMs)).size).toBeGreaterThan(10)
  })

  it('does not ask again for what is forbidden or missing', async () => {
    retries.length = 0
    proxy.onRequest(() => ({ status: 403, code: 'AccessDenied' }))
    expect(AccessDenied.is(await failureOf(() => store.readAll('s3://data/slow')))).toBe(true)
    proxy.onRequest(() => undefined)
    expect(ObjectMissing.is(await failureOf(() => store.readAll('s3://data/none')))).toBe(true)
    expect(retries).toEqual([])
  })

  it('gives up the connections of 200 objects that are opened and left after their first bytes', async () => {
    const folder = join(backend.server.dir, 'data/data/large')
    await mkdir(folder)
    // The server's objects are files; holes take no room on the disk.
    for (let object = 0; object < 200; object++) {
      const file = await open(join(folder, `${object}`), 'w')
      await file.truncate(5 * MIB)
      await file.close()
    }
    proxy.onRequest(() => undefined)
    const opened = Array.from({ length: 200 }, async (_, object) => {
      for await (const piece of store.stream(`s3://data/large/${object}`)) return piece.length
      return 0
    })
    for (const bytes of await Promise.all(opened)) expect(bytes).toBeGreaterThan(0)
    await vi.waitFor(async () => expect(await proxy.connections()).toBeLessThan(10), 5000)
    // So it is for readers that are cancelled.
    const cancelled = Array.from({ length: 60 }, async (_, object) => {
      const cancel = new AbortController()
      return failureOf(async () => {
        const stream = store.stream(`s3://data/large/${object}`, { signal: cancel.signal })
        for await (const _ of stream) cancel.abort(new Error('cancelled'))
      })
    })
    for (const failure of await Promise.all(cancelled)) expect(failure).toEqual(new Error('cancelled'))
    await vi.waitFor(async () => expect(await proxy.connections()).toBeLessThan(10), 5000)
    expect((await store.stat('s3://data/large/7')).size).toBe(5 * MIB)
  })
})

/** Park-Miller: the same faults in every run. */
function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647
  }
}
