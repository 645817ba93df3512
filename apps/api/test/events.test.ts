import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { createJobStore } from '@stoker/jobs'
import { connectRedis } from '@stoker/queue'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { expectProblem, rangeJob, type Stack, startStack } from './helpers/stack.js'

interface Received {
  readonly id?: string
  readonly event?: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly data: any
}

/** A client of an event stream that hands out one event after another. */
async function openEvents(url: string, headers: Record<string, string> = {}) {
  const request = get(url, { headers })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.setEncoding('utf8')
  const chunks = response[Symbol.asyncIterator]() as AsyncIterator<string>
  let text = ''
  const next = async (): Promise<Received | undefined> => {
    for (;;) {
      const end = text.indexOf('\n\n')
      if (end >= 0) {
        const block = text.slice(0, end)
        text = text.slice(end + 2)
        const fields = Object.fromEntries(
          block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        ) as Record<string, string>
        if (fields.data === undefined) continue
        return { ...fields, data: JSON.parse(fields.data) }
      }
      const chunk = await chunks.next()
      if (chunk.done) return undefined
      text += chunk.value
    }
  }
  const until = async (isIt: (event: Received) => boolean): Promise<Received> => {
    for (let event = await next(); event; event = await next()) if (isIt(event)) return event
    throw new Error('the stream ended before')
  }
  return { response, next, until, close: () => request.destroy() }
}

describe('GET /v1/jobs/:id/events', () => {
  let stack: Stack
  beforeEach(async () => {
    stack = await startStack()
  })
  afterEach(() => stack.stop())

  it('shows the job within a second, then its events with ids, as a stream that nothing buffers', async () => {
    const id = await stack.submit(rangeJob(100, 7))
    const started = performance.now()
    const events = await openEvents(`${stack.api.url}/v1/jobs/${id}/events`)
    const first = await events.next()
    expect(performance.now() - started).toBeLessThan(1_000)
    expect(first).toMatchObject({ event: 'job', data: { id } })
    expect(first?.id).toBeUndefined()
    expect(events.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-accel-buffering': 'no',
    })
    expect(events.response.headers['cache-control']).toContain('no-cache')
    const state = await events.until(({ event }) => event === 'state')
    expect(state.id).toMatch(/^\d+-\d+$/)
    expect(state.data).toEqual({ state: 'pending' })
    events.close()
  })

  it('goes on after Last-Event-ID without a gap or a repetition', async () => {
    const id = await stack.submit(rangeJob(100, 7))
    const redis = connectRedis(stack.redis.url, 'command')
    const jobs = createJobStore(redis, () => connectRedis(stack.redis.url, 'blocking'))
    const ids = []
    for (let n = 0; n < 5; n++) ids.push(await jobs.emit(id, 'note', { n }))
    const events = await openEvents(`${stack.api.url}/v1/jobs/${id}/events`, { 'last-event-id': ids[1] ?? '' })
    const notes: Received[] = []
    while (notes.length < 3) notes.push(await events.until(({ event }) => event === 'note'))
    expect(notes.map(({ data }) => data.n)).toEqual([2, 3, 4])
    const later = events.until(({ event }) => event === 'note')
    await jobs.emit(id, 'note', { n: 5 })
    expect((await later).data.n).toBe(5)
    events.close()
    redis.disconnect()
  })

  it('ends with the job; asked again it says that nothing more comes', async () => {
    const id = await stack.submit(rangeJob(100, 7))
    const events = await openEvents(`${stack.api.url}/v1/jobs/${id}/events`)
    await stack.call('POST', `/v1/jobs/${id}/cancel`)
    const end = await events.until(({ event, data }) => event === 'state' && data.state === 'cancelled')
    const view = await events.until(({ event, data }) => event === 'job' && data.state === 'cancelled')
    expect(view.data.finishedAt).toBeDefined()
    expect(await events.next()).toBeUndefined()
    const again = await stack.call('GET', `/v1/jobs/${id}/events`, undefined, { 'last-event-id': end.id ?? '' })
    expect(again.status).toBe(204)
  })

  it('tells what changes without an event, such as the fill of the buffer', async () => {
    const id = await stack.submit(rangeJob(100, 7))
    const events = await openEvents(`${stack.api.url}/v1/jobs/${id}/events`)
    await events.next()
    await stack.startWorker()
    const view = await events.until(({ event, data }) => event === 'job' && data.progress.readyBatches > 0)
    expect(view.data.progress).toMatchObject({ shardsIndexed: 1, records: 100, batchesTotal: 15 })
    events.close()
  })

  it('ends when the server stops, which does not wait for readers', async () => {
    const id = await stack.submit(rangeJob(100, 7))
    const events = await openEvents(`${stack.api.url}/v1/jobs/${id}/events`)
    await events.next()
    const started = performance.now()
    await stack.api.close()
    expect(performance.now() - started).toBeLessThan(2_000)
    while (await events.next());
  })

  it('refuses an id that is none', async () => {
    const id = await stack.submit(rangeJob(100, 7))
    const answer = await stack.call('GET', `/v1/jobs/${id}/events`, undefined, { 'last-event-id': 'x' })
    expectProblem(answer, 400, 'STK_SPEC_INVALID')
  })
})

describe('an event stream', () => {
  it('sends a comment every 15 s, so that no proxy takes it for dead', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { default: Fastify } = await import('fastify')
    const { EventStream } = await import('../src/http/event-stream.js')
    const app = Fastify()
    let stream: InstanceType<typeof EventStream> | undefined
    app.get('/', (_request, reply) => {
      stream = EventStream.open(reply, new AbortController().signal)
    })
    const answer = app.inject('/')
    await vi.waitFor(() => expect(stream).toBeDefined())
    vi.advanceTimersByTime(31_000)
    await stream?.end()
    vi.useRealTimers()
    expect((await answer).body.match(/^: /gm)).toHaveLength(2)
    await app.close()
  })
})
