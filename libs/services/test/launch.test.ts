import { expect, it } from 'vitest'
import { freePort } from '../src/free-port.js'
import { launch } from '../src/launch.js'
import { startRedis } from '../src/redis.js'
import { redisProgram } from '../src/redis-program.js'
import { askRedis } from './ask-redis.js'

it('picks another port when the picked one is taken before the server binds it', async () => {
  const other = await startRedis()
  const taken = Number(new URL(other.url).port)
  const picks = [taken, taken, await freePort()]
  const { server, port } = await launch({
    name: 'Redis',
    program: await redisProgram(),
    args: (port) => ['--port', String(port), '--bind', '127.0.0.1', '--save', ''],
    pickPort: async () => picks.shift() ?? freePort(),
    answers: async (port, pid) =>
      (await askRedis(`redis://127.0.0.1:${port}`, 'INFO server')).includes(`process_id:${pid}\r`),
  })
  expect(port).not.toBe(taken)
  expect(picks).toEqual([])
  await Promise.all([server.stop(), other.stop()])
})

it('fails at once, with the log, when the server ends before it answers', async () => {
  const starting = launch({
    name: 'a server that fails',
    program: '/bin/sh',
    args: () => ['-c', 'echo no such option >&2; exit 1'],
    answers: async () => false,
  })
  await expect(starting).rejects.toThrow(/a server that fails did not start: .*no such option/)
})
