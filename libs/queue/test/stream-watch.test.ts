import { type RunningServer, startRedis } from '@stoker/services'
import type { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectRedis } from '../src/connect.js'
import { compareIds, createStreamWatcher, type StreamWatcher } from '../src/stream-watch.js'

let server: RunningServer
let redis: Redis
let watcher: StreamWatcher
let connections = 0
beforeAll(async () => {
  server = await startRedis()
  redis = connectRedis(server.url, 'queue')
  watcher = createStreamWatcher(() => {
    connections++
    return connectRedis(server.url, 'blocking')
  }, redis)
})
afterAll(async () => {
  watcher.close()
  redis.disconnect()
  await server.stop()
})

const add = (stream: string, value: string) => redis.xadd(stream, '*', 'value', value)
const values = async (work: ReturnType<StreamWatcher['next']>) => (await work).map(({ fields }) => fields.value)

describe('the watcher', () => {
  it('gives what is there already, after the given id only', async () => {
    const first = await add('past', 'a')
    await add('past', 'b')
    expect(await values(watcher.next('past', '0-0'))).toEqual(['a', 'b'])
    expect(await values(watcher.next('past', first!))).toEqual(['b'])
  })

  it('waits for streams that come while it is blocked on others', async () => {
    const waits = Array.from({ length: 30 }, (_, n) => values(watcher.next(`late-${n}`, '0-0')))
    for (let n = 29; n >= 0; n--) {
      await add(`late-${n}`, String(n))
      expect(await waits[n]).toEqual([String(n)])
    }
    expect(connections).toBe(1)
  })

  it('serves several who wait on one stream from different ids', async () => {
    const first = (await add('shared', 'a'))!
    const fromStart = values(watcher.next('shared', '0-0'))
    const fromFirst = values(watcher.next('shared', first))
    expect(await fromStart).toEqual(['a'])
    await add('shared', 'b')
    expect(await fromFirst).toEqual(['b'])
  })

  it('skips no entry for one who comes with an earlier id than the blocked read has', async () => {
    const first = (await add('behind', 'a'))!
    const second = (await add('behind', 'b'))!
    const other = createStreamWatcher(() => connectRedis(server.url, 'blocking'), redis)
    const fromSecond = values(other.next('behind', second))
    while (!/ flags=b .*cmd=xread/.test(String(await redis.client('LIST')))) await redis.ping()
    // Both leave on one connection: the blocked read ends by the entry, before the newcomer can widen it.
    const added = add('behind', 'c')
    const fromFirst = values(other.next('behind', first))
    await added
    expect(await fromSecond).toEqual(['c'])
    expect(await fromFirst).toEqual(['b', 'c'])
    other.close()
  })

  it('answers with nothing when the time is over, and throws the reason when aborted', async () => {
    expect(await watcher.next('silent', '0-0', { waitMs: 10 })).toEqual([])
    const control = new AbortController()
    const waiting = watcher.next('silent', '0-0', { signal: control.signal }).catch((error: unknown) => error)
    control.abort(new Error('stop'))
    expect(await waiting).toBe(control.signal.reason)
  })

  it('answers with nothing when it is closed', async () => {
    const other = createStreamWatcher(() => connectRedis(server.url, 'blocking'), redis)
    const waiting = other.next('silent', '0-0')
    other.close()
    expect(await waiting).toEqual([])
    expect(await other.next('silent', '0-0')).toEqual([])
  })
})

it('ids are ordered as numbers', () => {
  expect(compareIds('9-0', '10-0')).toBeLessThan(0)
  expect(compareIds('10-9', '10-10')).toBeLessThan(0)
  expect(compareIds('10-1', '10-1')).toBe(0)
})
