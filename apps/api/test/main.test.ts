import { fileURLToPath } from 'node:url'
import { type RunningServer, startChildServer, startRedis } from '@stoker/services'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

const script = fileURLToPath(new URL('../dist/main.js', import.meta.url))

describe('the api as a process', () => {
  let redis: RunningServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis.stop())

  const start = (env: Record<string, string>) => {
    const all = { ...process.env, STOKER_REDIS_URL: redis.url, STOKER_STORE: 'file:///tmp', STOKER_PORT: '0', ...env }
    return startChildServer(process.execPath, [script], { env: all })
  }

  it('says when it is ready and where, and ends cleanly at SIGTERM', async () => {
    const api = await start({})
    const url = await vi.waitFor(() => {
      const line =
        api
          .log()
          .split('\n')
          .find((text) => text.includes('"msg":"ready"')) ?? ''
      return (JSON.parse(line) as { url: string }).url
    }, 20_000)
    expect((await fetch(`${url}/healthz`)).status).toBe(200)
    const started = performance.now()
    await api.stop()
    expect(performance.now() - started).toBeLessThan(5_000)
    expect(api.log()).toContain('"msg":"stopping"')
    expect(api.log()).not.toMatch(/\n\s+at /)
  })

  it('stops the start with what is wrong and what to do, without a stack trace', async () => {
    const port = new URL(redis.url).port
    for (const [env, says] of [
      [{ STOKER_PORT: 'http' }, 'STK_SETTING: STOKER_PORT="http": expected an integer from 0 to 65535'],
      [{ STOKER_PORT: port }, `STK_API_ADDRESS: cannot listen on 127.0.0.1 port ${port}`],
      [{ STOKER_REDIS_URL: 'redis://127.0.0.1:1' }, 'STK_REDIS_UNAVAILABLE: Redis at 127.0.0.1:1 does not answer'],
    ] as const) {
      const api = await start(env)
      await api.exited
      expect(api.log()).toContain(says)
      expect(api.log()).not.toMatch(/\n\s+at /)
    }
  })
})
