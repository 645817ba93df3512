import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createSender } from '../../src/client/http.js'

const closings: (() => void)[] = []
afterEach(() => {
  for (const close of closings.splice(0)) close()
})

/** A server that refuses the first `refusals` requests as an api past its limit does. */
async function startLimited(refusals: number, retryAfter: string) {
  const asked: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers)
    if (asked.length > refusals) return response.end('{}')
    const body = JSON.stringify({ code: 'STK_API_RATE', detail: 'too many' })
    return response.writeHead(429, { 'retry-after': retryAfter, 'content-type': 'application/problem+json' }).end(body)
  })
  closings.push(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

it('waits as long as a rate limit says, then asks again, with the key each time', async () => {
  const { url, asked } = await startLimited(2, '1')
  const started = performance.now()
  expect((await createSender(url, { key: 'k' })('GET', '/v1/jobs')).status).toBe(200)
  expect(performance.now() - started).toBeGreaterThan(1_900)
  expect(asked.map(({ authorization }) => authorization)).toEqual(['Bearer k', 'Bearer k', 'Bearer k'])
})

it('does not wait for hours, nor after it was told to stop', async () => {
  const far = await startLimited(1, '3600')
  await expect(createSender(far.url)('GET', '/')).rejects.toMatchObject({ code: 'STK_API_RATE', retryable: true })
  expect(far.asked[0]?.authorization).toBeUndefined()
  const near = await startLimited(9, '60')
  const stopping = new AbortController()
  const asking = createSender(near.url)('GET', '/', { signal: stopping.signal })
  setTimeout(() => stopping.abort(), 50)
  await expect(asking).rejects.toThrow(/abort/i)
  expect(near.asked).toHaveLength(1)
})
