import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it, vi } from 'vitest'
import { expectProblem, startStack } from './helpers/stack.js'

const numbersJob = (files: string) => ({
  pipeline: {
    source: { type: 'jsonLines', files, features: { x: { dtype: 'int32' } } },
    stages: [{ op: 'batch', size: 2 }, { op: 'prefetch' }],
  },
})
const closings: (() => unknown)[] = []
afterEach(async () => {
  vi.unstubAllEnvs()
  for (const close of closings.splice(0).reverse()) await close()
})

it('a job outside the allowed prefixes is refused when it is submitted, with what to do', async () => {
  const stack = await startStack({ STOKER_SOURCES: 's3://data/train' })
  closings.push(() => stack.stop())
  for (const files of [
    's3://data/secret/x.txt',
    's3://data/train*',
    'https://example.org/x.txt',
    'gs://data/train/x',
  ]) {
    const answer = await stack.call('POST', '/v1/jobs', numbersJob(files))
    expectProblem(answer, 403, 'STK_STORAGE_OUTSIDE_SOURCES')
    expect(answer.json.remedy).toContain('STOKER_SOURCES')
    expect(answer.json.detail).toContain(files)
  }
})

it('a worker refuses it too, whatever the api let pass', async () => {
  const text = Buffer.from('{"x":1}\n{"x":2}\n')
  const server = createServer((request, response) => {
    const [, from = 0, to = text.length - 1] = /bytes=(\d+)-(\d+)?/.exec(request.headers.range ?? '') ?? []
    const part = text.subarray(Number(from), Number(to) + 1)
    const headers = { etag: '"1"', 'content-range': `bytes ${from}-${Number(from) + part.length - 1}/${text.length}` }
    response.writeHead(206, headers).end(part)
  }).listen(0, '127.0.0.1')
  closings.push(() => server.close())
  await new Promise((done) => server.once('listening', done))
  const { port } = server.address() as AddressInfo
  const stack = await startStack({ STOKER_HTTP_PRIVATE: '127.0.0.1' })
  closings.push(() => stack.stop())
  vi.stubEnv('STOKER_HTTP_PRIVATE', '127.0.0.1')
  vi.stubEnv('STOKER_SOURCES', 's3://data/train')
  await stack.startWorker()
  const id = await stack.submit(numbersJob(`http://127.0.0.1:${port}/x.txt`))
  await vi.waitFor(
    async () =>
      expect((await stack.call('GET', `/v1/jobs/${id}`)).json.error?.code).toBe('STK_STORAGE_OUTSIDE_SOURCES'),
    { timeout: 20_000 },
  )
})
