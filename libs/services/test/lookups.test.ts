import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cacheDir } from '../src/cache-dir.js'
import { runTool } from '../src/run-tool.js'
import { which } from '../src/which.js'

it('keeps its cache where STOKER_CACHE, then XDG_CACHE_HOME, then the home folder says', () => {
  expect(cacheDir({ STOKER_CACHE: '/c', XDG_CACHE_HOME: '/x' })).toBe('/c')
  expect(cacheDir({ XDG_CACHE_HOME: '/x' })).toBe('/x/stoker')
  expect(cacheDir({})).toBe(join(homedir(), '.cache/stoker'))
})

it('finds the first executable file of the PATH and passes over folders and plain files', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'stoker-test-'))
  await writeFile(join(dir, 'plain'), '')
  await writeFile(join(dir, 'tool'), '', { mode: 0o755 })
  const env = { PATH: `/no/such/folder::${dir}` }
  expect(await which('tool', env)).toBe(join(dir, 'tool'))
  expect(await which('plain', env)).toBeUndefined()
  expect(await which('.', env)).toBeUndefined()
  await rm(dir, { recursive: true })
})

it('reports a failed tool with its command, exit code and last words', async () => {
  await expect(runTool('sh', ['-c', 'echo the reason >&2; exit 3'])).rejects.toThrow(
    /^`sh -c .*exit code 3\nthe reason$/s,
  )
  await expect(runTool('/no/such/tool', [])).rejects.toThrow('ENOENT')
})
