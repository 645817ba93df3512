import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { claimFolder } from '../../src/stack/claim-folder.js'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stoker-claim-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

it('gives two stacks two folders, and the first one again when it is free', async () => {
  const path = join(folder, 'a')
  const first = await claimFolder(path)
  const second = await claimFolder(path)
  expect(first.folder).toBe(path)
  expect(second.folder).toBe(join(path, '2'))
  await first.release()
  const third = await claimFolder(path)
  expect(third.folder).toBe(path)
  await Promise.all([second.release(), third.release()])
})

it('has the folder back at once when its owner was killed', async () => {
  const path = join(folder, 'b')
  const module = new URL('../../dist/stack/claim-folder.js', import.meta.url).href
  const script = `const { claimFolder } = await import(${JSON.stringify(module)})
    console.log((await claimFolder(${JSON.stringify(path)})).folder)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(owner.stdout.setEncoding('utf8'), 'data')
  expect(String(line).trim()).toBe(path)
  const whileHeld = await claimFolder(path)
  expect(whileHeld.folder).toBe(join(path, '2'))
  owner.kill('SIGKILL')
  await once(owner, 'exit')
  const after = await claimFolder(path)
  expect(after.folder).toBe(path)
  await Promise.all([whileHeld.release(), after.release()])
})
