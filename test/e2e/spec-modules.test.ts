import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli } from '../support/run-cli.js'

// A folder that is no part of the checkout and has no node_modules.
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stoker-spec-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

/** Nobody listens there: a module that loads well gets as far as that. */
const URL_OF_NOBODY = 'http://127.0.0.1:9'

async function lint(name: string, lines?: readonly string[]) {
  if (lines) await writeFile(join(dir, name), lines.join('\n'))
  return runCli(['lint', name, '--json', '--url', URL_OF_NOBODY], { cwd: dir })
}

it('loads a module outside the checkout that imports @stoker/spec', async () => {
  const { stderr, lines } = await lint('good.mjs', [
    "import { pipeline, range } from '@stoker/spec'",
    'export default pipeline(range(10)).batch(2)',
  ])
  expect(lines[0], stderr).toMatchObject({ error: { code: 'STK_CLI_API_UNREACHABLE' } })
})

it('tells a misspelt op with file, line, the name that was meant and all there are', async () => {
  const { code, stderr, lines } = await lint('misspelt.mjs', [
    "import { pipeline, tfrecord } from '@stoker/spec'",
    "export default pipeline(tfrecord('file:a'))",
    "  .decodJpeg('image')",
    '  .batch(2)',
  ])
  expect(code).toBe(1)
  expect(lines[0]).toMatchObject({
    error: { code: 'STK_SPEC_UNKNOWN_OP', place: { op: 'decodJpeg', path: 'misspelt.mjs:3:3' } },
  })
  expect(stderr).toContain('there is no op "decodJpeg"')
  expect(stderr).toMatch(/remedy: did you mean "decodeJpeg"\? ops: .*shuffle/)
  expect(stderr).not.toMatch(/\n\s+at .*:\d+:\d+\)/)
})

it.each([
  ['a syntax error', 'syntax.mjs', ['export default {', '  a: 1', '  b: 2', '}'], 'syntax.mjs:3'],
  ['a fault in a call', 'fault.mjs', ['', 'export default () => {', '  nothing.there()', '}'], 'fault.mjs:3:3'],
])('names the line of %s', async (_, name, source, path) => {
  const { code, lines } = await lint(name, source)
  expect(code).toBe(1)
  expect(lines[0]).toMatchObject({ error: { code: 'STK_CLI_SPEC_FILE', place: { path } } })
})

it('says plainly that a module is missing', async () => {
  const { code, stderr } = await lint('nofile.mjs')
  expect(code).toBe(1)
  expect(stderr).toContain('nofile.mjs: there is no such file')
  expect(stderr).not.toContain('imported from')
})

it('takes an empty STOKER_URL as none', async () => {
  const { stderr } = await runCli(['jobs'], { env: { STOKER_URL: '' } })
  expect(stderr).not.toContain('Invalid URL')
  expect(stderr === '' || stderr.includes('http://127.0.0.1:7070')).toBe(true)
})

it('starts nothing over a data folder that is not there', async () => {
  const { code, stderr } = await runCli(['up', '--port', '0', '--no-trainer', '--data', join(dir, 'none')])
  expect(code).toBe(1)
  expect(stderr).toContain('STK_CLI_NO_DATA_FOLDER')
  expect(stderr).toContain(join(dir, 'none'))
})
