import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createStore, ObjectMissing, OutsideRoots } from '../src/index.js'

const swapper = fileURLToPath(new URL('./fixtures/swap-folder.mjs', import.meta.url))
const FOR_MS = 2_000

it.runIf(process.platform === 'linux')(
  'reads nothing outside when a folder is swapped for a link between the check and the opening',
  async () => {
    const dir = await mkdtemp(join(tmpdir(), 'stoker-swap-'))
    const [root, outside] = [join(dir, 'root'), join(dir, 'outside')]
    await mkdir(join(root, 'd'), { recursive: true })
    await mkdir(outside)
    await writeFile(join(root, 'd', 'x'), 'inside')
    await writeFile(join(outside, 'x'), 'secret')
    const child = fork(swapper, [join(root, 'd'), outside])
    await once(child, 'message')
    const store = createStore({ fileRoots: [root] })
    const texts = new Set<string>()
    const refusals = new Set<unknown>()
    const readUntil = async (end: number) => {
      while (performance.now() < end) {
        const bytes = await store.readAll('file:d/x').catch((error: unknown) => {
          refusals.add(error instanceof Error && 'code' in error ? error.code : error)
          return undefined
        })
        if (bytes) texts.add(Buffer.from(bytes).toString())
      }
    }
    const end = performance.now() + FOR_MS
    await Promise.all(Array.from({ length: 8 }, () => readUntil(end)))
    child.kill('SIGKILL')
    await once(child, 'exit')
    await rm(dir, { recursive: true, force: true })
    expect([...texts]).toEqual(['inside'])
    // It was swapped while it was read, or this test shows nothing.
    expect(refusals).toContain(OutsideRoots.code)
    expect([...refusals].filter((code) => code !== OutsideRoots.code && code !== ObjectMissing.code)).toEqual([])
  },
)
