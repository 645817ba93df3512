import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runTool, which } from '@stoker/services'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { inspectEngine, installEngine } from '../src/index.js'
import { enginesDir } from '../src/install/engine-dir.js'
import { folderOnce } from '../src/install/folder-once.js'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'stoker-test-'))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await rm(dir, { recursive: true })
})

it('keeps engines outside node_modules, where STOKER_ENGINE_DIR or the cache folder says', () => {
  expect(enginesDir({ STOKER_ENGINE_DIR: '/srv/engine' })).toBe('/srv/engine')
  expect(enginesDir({ STOKER_CACHE: '/srv/cache' })).toBe('/srv/cache/engine')
})

describe('a folder that is made once', () => {
  it('is built by one of several processes, whole or not at all', async () => {
    const target = join(dir, 'engines', 'cpu')
    const script = `
      import { appendFile, readdir, writeFile } from 'node:fs/promises'
      import { folderOnce } from '${join(import.meta.dirname, '../dist/install/folder-once.js')}'
      await folderOnce('${target}', async (workDir) => {
        await appendFile('${join(dir, 'builds')}', 'x')
        await writeFile(workDir + '/one', '')
        await writeFile(workDir + '/two', '')
      })
      console.log((await readdir('${target}')).join())`
    const caller = () => runTool(process.execPath, ['--input-type=module', '-e', script])
    expect(await Promise.all([caller(), caller(), caller()])).toEqual(['one,two\n', 'one,two\n', 'one,two\n'])
    expect(await runTool('cat', [join(dir, 'builds')])).toBe('x')
    expect(await readdir(join(dir, 'engines'))).toEqual(['cpu'])
  })

  it('is absent after a failure, and the next call tries again', async () => {
    const target = join(dir, 'cpu')
    const failing = folderOnce(target, async (workDir) => {
      await writeFile(join(workDir, 'half'), '')
      throw new Error('no compiler')
    })
    await expect(failing).rejects.toThrow('no compiler')
    expect(await readdir(dir)).toEqual([])
    await folderOnce(target, (workDir) => writeFile(join(workDir, 'whole'), ''))
    expect(await readdir(target)).toEqual(['whole'])
  })
})

describe('on a machine that lacks something', () => {
  /** A PATH with these programs of the real one, and these made up. */
  async function pathWith(programs: readonly string[], scripts: Readonly<Record<string, string>> = {}): Promise<void> {
    const bin = join(dir, 'bin')
    await mkdir(bin)
    for (const name of programs) {
      const found = await which(name)
      if (found) await symlink(found, join(bin, name))
    }
    for (const [name, text] of Object.entries(scripts)) {
      await writeFile(join(bin, name), `#!/bin/sh\n${text}\n`)
      await chmod(join(bin, name), 0o755)
    }
    vi.stubEnv('PATH', bin)
    vi.stubEnv('CXX', '')
    vi.stubEnv('STOKER_CACHE', join(dir, 'cache'))
    vi.stubEnv('STOKER_ENGINE_DIR', join(dir, 'engines'))
  }

  it('names the C++ compiler and the command that brings it', async () => {
    await pathWith(['python3'])
    const report = await installEngine({ device: 'cpu' })
    expect(report).toMatchObject({
      kind: 'wasm',
      fix: expect.stringContaining('apt-get install g++`, then run `stoker engine install --cpu`'),
    })
    expect(report.why[0]).toMatch(/could not be built: there is no C\+\+ compiler/)
    expect(existsSync(join(dir, 'engines')) ? await readdir(join(dir, 'engines')) : []).toEqual([])
  })

  it('passes on why the wheel could not be fetched', async () => {
    // A Python without TensorFlow whose pip finds no network.
    const python = `case "$*" in
      *sys.version_info*) echo '{"version": "3.11", "hasPip": true}' ;;
      *find_spec*) echo null ;;
      *) echo 'ERROR: no network here' >&2; exit 1 ;;
    esac`
    await pathWith(['g++'], { python3: python })
    const report = await installEngine({ device: 'cpu' })
    expect(report.kind).toBe('wasm')
    expect(report.why[0]).toMatch(
      /TensorFlow could not be fetched: .*pip.* download .*tensorflow.*\n.*no network here/s,
    )
    expect(report.fix).toMatch(/check the network/)
  })

  it('says which engine serves instead and what each native one lacks', async () => {
    await pathWith([])
    const report = await inspectEngine()
    expect(report).toMatchObject({ kind: 'wasm', device: 'CPU (WASM)', version: '4.22.0' })
    expect(report.why.join('\n')).toMatch(/there is no cpu build in .*engines.*\n.*there is no cuda build/)
    expect(report.fix).toMatch(/^stoker engine install --c/)
  })

  it('looks at an addon that crashes in a process of its own', async () => {
    await pathWith([])
    const { bindingPath, engineDir } = await import('../src/install/engine-dir.js')
    const addon = bindingPath(engineDir('cpu'))
    await mkdir(join(addon, '..'), { recursive: true })
    await writeFile(addon, 'no shared library')
    const report = await inspectEngine()
    expect(report.kind).toBe('wasm')
    expect(report.why[0]).toMatch(/the cpu build in .* does not load: .*(invalid ELF header|file too short)/)
  })
})
