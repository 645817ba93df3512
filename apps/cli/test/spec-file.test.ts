import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadSpec } from '../src/spec-file.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoker-spec-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const chain = { source: { type: 'range', stop: 10 }, stages: [{ op: 'batch', size: 2 }] }

async function file(name: string, content: string): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, content)
  return path
}

it('reads a job from JSON', async () => {
  const job = { name: 'x', pipeline: chain }
  expect(await loadSpec(await file('job.json', JSON.stringify(job)))).toEqual(job)
})

it('makes a feed-only job of a chain alone', async () => {
  expect(await loadSpec(await file('chain.json', JSON.stringify(chain)))).toEqual({ pipeline: chain })
})

it('reads standard input for -', async () => {
  expect(await loadSpec('-', Readable.from([JSON.stringify(chain)]))).toEqual({ pipeline: chain })
})

it('takes what a module exports: the builder, inside a job or alone, or a function', async () => {
  const spec = pathToFileURL(new URL('../../../libs/spec/dist/index.js', import.meta.url).pathname).href
  const build = `import { pipeline, range } from '${spec}'\nconst chain = pipeline(range(10)).batch(2)\n`
  expect(await loadSpec(await file('chain.mjs', `${build}export default chain`))).toEqual({ pipeline: chain })
  expect(
    await loadSpec(await file('fn.mjs', `${build}export default async () => ({ name: 'x', pipeline: chain })`)),
  ).toEqual({
    name: 'x',
    pipeline: chain,
  })
})

it.each([
  ['a missing file', 'none.json', undefined, /there is no such file/],
  ['damaged JSON', 'damaged.json', '{"pipeline": ', /JSON/],
  ['a module without default export', 'empty.mjs', 'export const x = 1', /no default export/],
  ['a module that throws', 'throws.mjs', 'throw new Error("boom")', /boom/],
])('names the fault of %s', async (_, name, content, message) => {
  const path = content === undefined ? join(folder, name) : await file(name, content)
  await expect(loadSpec(path)).rejects.toMatchObject({
    code: 'STK_CLI_SPEC_FILE',
    message: expect.stringMatching(message),
  })
})
