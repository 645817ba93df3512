import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { digitFeed, writeDigitShards } from '../support/digit-shards.js'
import { isRunning } from '../support/processes.js'
import { type Ended, runCli, startCli, startUp, type Up } from '../support/run-cli.js'

// Whole stacks on a busy machine: the limits tell a hang from slowness.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stoker-cli-'))
  await writeDigitShards(join(dir, 'digits'), [40, 25])
  await writeFile(join(dir, 'job.json'), JSON.stringify(digitFeed('file:digits/part-*.tfrecord.gz', { epochs: 1 })))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

const FLAGS = ['--workers', '1', '--port', '0', '--no-trainer']
const pidsOf = ({ addresses, child }: Up) => [...addresses.workers, child.pid ?? 0]
describe('stoker up, and the commands against it', () => {
  let up: Up
  let stoker: (args: readonly string[], stdin?: string) => Promise<Ended>
  beforeAll(async () => {
    up = await startUp([...FLAGS, '--data', dir], { cwd: dir })
    const env = { STOKER_URL: up.addresses.api }
    stoker = (args, stdin) => runCli(args, { env, cwd: dir, ...(stdin === undefined ? {} : { stdin }) })
  })
  afterAll(async () => {
    up.child.kill('SIGTERM')
    await up.ended()
  })

  it('submits a file and pulls every batch, the first one as previewed', async () => {
    const submitted = await stoker(['submit', 'job.json', '--json'])
    expect(submitted.code).toBe(0)
    const { id } = submitted.lines[0] as { id: string }
    const preview = await stoker(['preview', id, '0', '0', '--json', '--png', 'batch.png'])
    const pulled = await stoker(['pull', id, '--json'])
    expect(pulled.code).toBe(0)
    const batches = pulled.lines as { epoch: number; batch: number; sha256: string; records: number }[]
    expect(batches.map(({ epoch, batch, records }) => [epoch, batch, records])).toEqual([
      [0, 0, 16],
      [0, 1, 16],
      [0, 2, 16],
      [0, 3, 16],
      [0, 4, 1],
    ])
    expect(batches.every(({ sha256 }) => /^[0-9a-f]{64}$/.test(sha256))).toBe(true)
    expect(preview.lines[0]).toMatchObject({ epoch: 0, batch: 0, sha256: batches[0]?.sha256, records: 16 })
    const [tensor] = (
      preview.lines[0] as { tensors: { name: string; shape: number[]; values: number[]; max: number }[] }
    ).tensors
    expect(tensor?.values).toHaveLength(16 * 12 * 12)
    expect(tensor?.max).toBe(Math.max(...(tensor?.values ?? [])))
    const short = (await stoker(['preview', id, '0', '0'])).stdout
    expect(short).toMatch(
      /^batch 0 of epoch 0: 16 records, sha256 [0-9a-f]{64}\n {2}image {2}uint8\[16,12,12,1\] {2}min \d+ max \d+ mean /,
    )
    expect(short.length).toBeLessThan(700)
    expect((await readFile(join(dir, 'batch.png'))).subarray(1, 4).toString()).toBe('PNG')
    const [jobs] = (await stoker(['jobs', '--json'])).lines as { id: string; state: string }[][]
    expect(jobs?.find((job) => job.id === id)).toMatchObject({ state: 'succeeded' })
  })

  it('submits from standard input and gives the same job for the same key', async () => {
    const spec = await readFile(join(dir, 'job.json'), 'utf8')
    const [one] = (await stoker(['submit', '-', '--json', '--key', 'k1'], spec)).lines as { id: string }[]
    const [two] = (await stoker(['submit', '-', '--json', '--key', 'k1'], spec)).lines as { id: string }[]
    expect(two?.id).toBe(one?.id)
    const cancelled = await stoker(['cancel', one?.id ?? '', '--json'])
    expect(cancelled.lines[0]).toMatchObject({ state: 'cancelled' })
    const watched = await stoker(['watch', one?.id ?? ''])
    expect(watched.code).toBe(1)
    expect(watched.stderr).toContain('cancelled')
  })

  it('lints: findings with a fix, exit code 1 for a job that cannot run', async () => {
    const good = await stoker(['lint', 'job.json', '--json'])
    expect(good.code).toBe(0)
    const chain = { source: { type: 'range', stop: 10 }, stages: [{ op: 'batch', size: 0 }] }
    const bad = await stoker(['lint', '-', '--json'], JSON.stringify({ pipeline: chain }))
    expect(bad.code).toBe(1)
    expect(bad.lines[0]).toMatchObject({ findings: [{ level: 'error', path: expect.stringContaining('stages[0]') }] })
  })

  it('tells errors with code, place and remedy, and a non-zero exit code', async () => {
    const chain = { source: { type: 'tfrecord', files: 'file:none-*.tfrecord' }, stages: [{ op: 'batch', size: 2 }] }
    const noFiles = await stoker(['submit', '-', '--json'], JSON.stringify({ pipeline: chain }))
    expect(noFiles.code).toBe(1)
    expect(noFiles.stderr).toMatch(/error STK_\w+: /)
    expect(noFiles.stderr).not.toMatch(/\n\s+at .*:\d+:\d+/)
    expect(noFiles.lines[0]).toMatchObject({ error: { code: expect.stringMatching(/^STK_/) } })
    const unknown = await stoker(['watch', 'a'.repeat(26)])
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toContain('STK_JOB_UNKNOWN')
    expect((await stoker(['pull'])).code).toBe(2)
  })

  it('says of a feed-only job at once that it waits for a consumer, and at SIGTERM that it goes on', async () => {
    const waiting = startCli(['submit', 'job.json', '--wait'], { env: { STOKER_URL: up.addresses.api }, cwd: dir })
    await waiting.told(/start one with: stoker pull [a-z0-9]{26}/)
    await waiting.told(/running/)
    waiting.child.kill('SIGTERM')
    expect(await waiting.ended).toBe(1)
    expect(waiting.stderr()).toMatch(/stopped watching; job [a-z0-9]{26} goes on/)
    expect(waiting.stderr()).not.toContain('ended as')
    const [, id = ''] = /stoker watch ([a-z0-9]{26})/.exec(waiting.stderr()) ?? []
    const [job] = (await stoker(['jobs', id, '--json'])).lines as { state: string }[]
    expect(job?.state).toBe('running')
  })

  it('says of a job that was consumed to its end how to run it again', async () => {
    const { id } = (await stoker(['submit', 'job.json', '--json'])).lines[0] as { id: string }
    expect((await stoker(['pull', id, '--json'])).lines).toHaveLength(5)
    const again = await stoker(['pull', id, '--json'])
    expect([again.code, again.lines]).toEqual([0, []])
    expect(again.stderr).toMatch(/consumed to its end.*stoker submit/)
  })

  it('names its own commands in remedies, and lays out lint as submit', async () => {
    const unknown = await stoker(['pull', 'nosuchjob'])
    expect(unknown.code).toBe(1)
    expect(unknown.stderr).toMatch(/remedy: .*`stoker jobs`/)
    const chain = { source: { type: 'range', stop: 10 }, stages: [{ op: 'batch', size: 0 }] }
    const linted = await stoker(['lint', '-'], JSON.stringify({ pipeline: chain }))
    const refused = await stoker(['submit', '-'], JSON.stringify({ pipeline: chain }))
    expect(linted.stdout.trimEnd()).toBe(refused.stderr.trimEnd())
    expect(linted.stdout.split('pipeline.stages[0].size')).toHaveLength(2)
  })

  it('finds the api in doctor, and says so when none answers', async () => {
    const api = async (url: string) => {
      const { lines } = await stoker(['doctor', '--json', '--url', url])
      return (lines[0] as { checks: { name: string; status: string }[] }).checks.find(({ name }) => name === 'api')
    }
    expect(await api(up.addresses.api)).toMatchObject({ status: 'ok' })
    expect(await api('http://127.0.0.1:9')).toMatchObject({
      status: 'absent',
      fix: expect.stringMatching(/^stoker up/),
    })
  })

  it('keeps its state apart from a second stack in the same folder', async () => {
    const second = await startUp([...FLAGS, '--data', dir], { cwd: dir })
    expect(second.addresses.redis).not.toBe(up.addresses.redis)
    const { lines } = await runCli(['jobs', '--json', '--url', second.addresses.api])
    expect(lines[0]).toEqual([])
    second.child.kill('SIGTERM')
    expect(await second.ended()).toBe(0)
  })
})

describe('the end of stoker up', () => {
  it('stops everything it started at SIGTERM, with exit code 0', async () => {
    const up = await startUp([...FLAGS, '--data', dir], { cwd: dir })
    const pids = pidsOf(up)
    expect(pids.every(isRunning)).toBe(true)
    up.child.kill('SIGTERM')
    expect(await up.ended()).toBe(0)
    expect(pids.filter(isRunning)).toEqual([])
    await expect(fetch(`${up.addresses.api}/healthz`)).rejects.toThrow()
  })

  it('leaves nothing behind when it is killed itself', async () => {
    const up = await startUp([...FLAGS, '--data', dir], { cwd: dir })
    const pids = pidsOf(up)
    up.child.kill('SIGKILL')
    await up.ended()
    await vi.waitFor(() => expect(pids.filter(isRunning)).toEqual([]), { timeout: 10_000, interval: 50 })
  })

  it('says which port is taken', async () => {
    const up = await startUp([...FLAGS, '--data', dir], { cwd: dir })
    const { port } = new URL(up.addresses.api)
    const second = await runCli(['up', '--json', '--port', port, '--no-trainer'], { cwd: dir })
    expect(second.code).toBe(1)
    expect(second.stderr).toContain('STK_CLI_PORT_TAKEN')
    up.child.kill('SIGTERM')
    await up.ended()
  })
})

it('names the api it could not reach and the remedy', async () => {
  const { code, stderr } = await runCli(['jobs', '--url', 'http://127.0.0.1:9'])
  expect(code).toBe(1)
  expect(stderr).toContain('STK_CLI_API_UNREACHABLE')
  expect(stderr).toContain('stoker up')
})
