import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { demoBin, runCli } from '../support/run-cli.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoker-demo-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const TIME_LIMIT_MS = 400_000
const demo = (...args: string[]) => runCli([...args, '--json', '--port', '0', '--state', folder], { script: demoBin })

it(
  'trains on real digits and ends with one line of figures; a second start takes the data that are there',
  async () => {
    const first = await demo('--epochs', '1')
    expect(first.code, first.stderr).toBe(0)
    const line = first.stdout.trimEnd().split('\n').at(-1) ?? ''
    const figures = JSON.parse(line)
    expect(Object.keys(figures)).toEqual([
      ...['accuracy', 'steps', 'stepsPerSecond', 'samplesPerSecond', 'inputWaitShare', 'model', 'checkpoint'],
    ])
    expect(figures.accuracy).toBeGreaterThan(0.85)
    expect(figures.steps).toBeGreaterThan(100)
    expect(figures.stepsPerSecond).toBeGreaterThan(0)
    expect(figures.model).toMatch(/^(file|s3):\/\//)
    // The addresses of servers that have ended lead nowhere: the summary names places that last.
    const [, model = ''] = /\n {2}model +(\S+)/.exec(first.stderr) ?? []
    expect(existsSync(model.replace(/^file:\/\//, '')), model).toBe(true)
    expect(first.stderr.slice(first.stderr.indexOf('  accuracy'))).not.toMatch(/https?:|s3:/)
    expect(first.stderr).toContain('writing')

    const second = await demo('--epochs', '1')
    expect(second.code, second.stderr).toBe(0)
    expect(second.stderr).not.toContain('writing')
    // The order of the records and the initial weights follow from the seed.
    expect(JSON.parse(second.stdout.trimEnd().split('\n').at(-1) ?? '').accuracy).toBeCloseTo(figures.accuracy, 2)
  },
  TIME_LIMIT_MS,
)

it('says what it does not know, with exit code 2', async () => {
  const { code, stderr } = await demo('cats')
  expect(code).toBe(2)
  expect(stderr).toContain('digits, photos')
})
