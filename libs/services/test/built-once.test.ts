import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { builtOnce } from '../src/built-once.js'
import { runTool } from '../src/run-tool.js'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stoker-test-'))
})
afterAll(() => rm(dir, { recursive: true }))

it('builds once for callers in several processes and leaves nothing but the result', async () => {
  const target = join(dir, 'shared', 'tool')
  const script = `
    import { appendFile, writeFile } from 'node:fs/promises'
    import { builtOnce } from '${join(import.meta.dirname, '../dist/index.js')}'
    await builtOnce('${target}', async (workDir) => {
      await appendFile('${join(dir, 'builds')}', 'x')
      await writeFile(workDir + '/tool', '#!/bin/sh\\necho made', { mode: 0o755 })
      return workDir + '/tool'
    })`
  const caller = () => runTool(process.execPath, ['--input-type=module', '-e', script])
  await Promise.all([caller(), caller(), caller()])
  expect(await runTool('cat', [join(dir, 'builds')])).toBe('x')
  expect(await runTool(target, [])).toBe('made\n')
  expect(await readdir(join(dir, 'shared'))).toEqual(['tool'])
})

it('passes a failure on, cleans up, and lets the next caller try again', async () => {
  const target = join(dir, 'retry', 'tool')
  const failing = builtOnce(target, async (workDir) => {
    await writeFile(join(workDir, 'half'), '')
    throw new Error('no compiler')
  })
  await expect(failing).rejects.toThrow('no compiler')
  expect(await readdir(join(dir, 'retry'))).toEqual([])
  await builtOnce(target, async (workDir) => {
    await writeFile(join(workDir, 'tool'), '', { mode: 0o755 })
    return join(workDir, 'tool')
  })
  expect(await readdir(join(dir, 'retry'))).toEqual(['tool'])
})
