import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lock } from 'proper-lockfile'
import { isExecutable } from './which.js'

/**
 * The executable file `target`, made by `build` when it is not there yet. Processes that ask at the same time wait for
 * the first one: a lock folder `<target>.lock`, refreshed while the build runs, counts as abandoned after 10 s.
 * `build` gets an empty folder on the same file system and returns the file it made; the move to `target` is atomic.
 */
export async function builtOnce(target: string, build: (workDir: string) => Promise<string>): Promise<string> {
  if (await isExecutable(target)) return target
  await mkdir(dirname(target), { recursive: true })
  const release = await lock(target, {
    realpath: false,
    stale: 10_000,
    retries: { retries: 3000, factor: 1, minTimeout: 150, maxTimeout: 250, randomize: true },
  })
  try {
    if (await isExecutable(target)) return target
    const workDir = await mkdtemp(join(dirname(target), '.build-'))
    try {
      await rename(await build(workDir), target)
      return target
    } finally {
      await rm(workDir, { recursive: true, force: true })
    }
  } finally {
    await release()
  }
}
