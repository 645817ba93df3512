import { expect, it } from 'vitest'
import { addressesOf } from '../src/commands/up.js'
import type { Stack } from '../src/stack/stack.js'

it.each([
  ['redis://127.0.0.1:6379', 'redis://127.0.0.1:6379'],
  ['rediss://user:p@ss/w#rd?%41@host:1', 'rediss://***@host:1'],
  ['redis://:100%@host/', 'redis://***@host'],
  ['unix://user:secret@/run/redis.sock', 'unix://***@/run/redis.sock'],
])('says where Redis is, never with user or password: %s', (redis, shown) => {
  const processes = { workers: [] }
  expect(addressesOf({ api: 'http://h', redis, processes } as unknown as Stack).redis).toBe(shown)
})
