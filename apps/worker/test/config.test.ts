import { availableParallelism } from 'node:os'
import { expect, it } from 'vitest'
import { toConfig } from '../src/config.js'

it('has a default for everything', () => {
  expect(toConfig({})).toMatchObject({
    ...{ redisUrl: 'redis://127.0.0.1:6379', parallelism: availableParallelism(), cacheBytes: 128 << 20 },
    ...{ drain: false, graceMs: 10_000, logLevel: 'info', scratch: `file://${process.cwd()}/.stoker/store/scratch` },
  })
})

it.each([
  [{ STOKER_WORKER_CACHE: 'much' }, 'STOKER_WORKER_CACHE="much": expected a size from 1B to 1TiB, such as "128MiB"'],
  [{ STOKER_WORKER_PARALLELISM: '0' }, 'STOKER_WORKER_PARALLELISM="0": expected an integer from 1 to 1024'],
  [{ STOKER_WORKER_DRAIN: 'maybe' }, 'STOKER_WORKER_DRAIN="maybe": expected one of true, false, 1, 0'],
  [{ STOKER_LOG_LEVEL: 'loud' }, 'STOKER_LOG_LEVEL="loud": expected one of fatal'],
])('refuses %j and says what is allowed', (env, message) => {
  expect(() => toConfig(env)).toThrow(message)
})
