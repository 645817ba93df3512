import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runCli } from '../support/run-cli.js'
import { startTestStack, type TestStack } from '../support/stack.js'

const JOB = JSON.stringify({
  pipeline: { source: { type: 'range', stop: 20 }, stages: [{ op: 'batch', size: 5 }, { op: 'prefetch' }] },
})

describe('the command line and API keys', () => {
  let folder: string
  let file: string
  let stack: TestStack
  const keys: Record<string, string> = {}

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'stoker-keys-'))
    file = join(folder, 'keys')
    for (const [name, scopes] of [
      ['worker-of-data', 'jobs:read,jobs:write'],
      ['looker', 'jobs:read'],
    ] as const) {
      const { code, lines } = await runCli(['key', name, '--scopes', scopes, '--file', file, '--json'])
      expect(code).toBe(0)
      keys[name] = (lines[0] as { key: string }).key
    }
    stack = await startTestStack({ env: { ...process.env, STOKER_API_KEYS_FILE: file } })
  })
  afterAll(async () => {
    await stack?.stop()
    await rm(folder, { recursive: true })
  })
  const stoker = (args: readonly string[], key?: string, stdin?: string) =>
    runCli(args, {
      env: { STOKER_URL: stack.api, ...(key === undefined ? {} : { STOKER_API_KEY: key }) },
      ...(stdin === undefined ? {} : { stdin }),
    })

  it('make a key, of which the file holds the hash only', async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const text = await readFile(file, 'utf8')
    expect(text.split('\n')).toHaveLength(3)
    for (const key of Object.values(keys)) expect(text).not.toContain(key)
    const refused = await runCli(['key', 'x', '--scopes', 'jobs:all'])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('STK_API_KEYS')
  })

  it('submit, follow and pull with a key; without one, or with one that may not, say what is missing', async () => {
    const without = await stoker(['submit', '-'], undefined, JOB)
    expect([without.code, without.stderr]).toEqual([1, expect.stringMatching(/STK_API_KEY_MISSING.*STOKER_API_KEY/s)])
    const looking = await stoker(['submit', '-'], keys.looker, JOB)
    expect([looking.code, looking.stderr]).toEqual([1, expect.stringContaining('STK_API_SCOPE')])

    const key = keys['worker-of-data']
    const submitted = await stoker(['submit', '-', '--json'], key, JOB)
    const { id } = submitted.lines[0] as { id: string }
    const pulled = await stoker(['pull', id, '--json'], key)
    expect([pulled.code, pulled.lines.length], pulled.stderr).toEqual([0, 4])
    // Follows the events to the end, which has come.
    const watched = await stoker(['watch', id, '--json'], keys.looker)
    expect([watched.code, watched.stdout]).toEqual([0, expect.stringContaining('"succeeded"')])
  })
})
