import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lock } from 'proper-lockfile'

/**
 * The folder `target`, made by `build` when it is not there yet. Of processes that ask at the same time one builds and
 * the others wait: a lock folder `<target>.lock`, refreshed while the build runs, counts as abandoned after 20 s.
 * `build` fills an empty folder on the same file system; the move to `target` is atomic, so `target` is whole or absent.
 */
export async function folderOnce(target: string, build: (workDir: string) => Promise<void>): Promise<string> {
  if (existsSync(target)) return target
  await mkdir(dirname(target), { recursive: true })
  const release = await lock(target, {
    realpath: false,
    stale: 20_000,
    // Up to two hours: a slow line takes that long for the CUDA packages.
    retries: { retries: 28_000, factor: 1, minTimeout: 200, maxTimeout: 300, randomize: true },
  })
  try {
    if (existsSync(target)) return target
    const workDir = await mkdtemp(join(dirname(target), '.build-'))
    try {
      await build(workDir)
      // mkdtemp makes it private; other users of a shared cache read it too.
      await chmod(workDir, 0o755)
      await rename(workDir, target)
      return target
    } finally {
      await rm(workDir, { recursive: true, force: true })
    }
  } finally {
    await release()
  }
}
