import { type FileHandle, mkdir, readlink, realpath } from 'node:fs/promises'
import { dirname, resolve, sep } from 'node:path'
import { OutsideRoots } from '../error-table.js'
import { fileUri } from '../uri.js'
import { errnoOf } from './file-error.js'

/** Folder in which a stack keeps its own things (Redis data, logs): no part of the data, wherever it lies. */
export const STATE_FOLDER = '.stoker'

/**
 * The folders that `file:` may touch. Every path is judged by where it really lies, links resolved; what lies outside
 * is OutsideRoots whether it exists or not, so that nobody learns what exists there. State folders below a root count as
 * outside; a root within one (the store of `stoker up`) is a root like any other.
 */
export class Roots {
  readonly paths: readonly string[]
  readonly #real = new Map<string, string>()

  constructor(roots: readonly string[]) {
    this.paths = roots.map((root) => resolve(root))
  }

  /** Where the existing file or folder really lies. Throws OutsideRoots, or the system's ENOENT. */
  async realPath(path: string): Promise<string> {
    const real = await realpath(path).catch(async (error: unknown) => {
      await this.#check(await deepestReal(path), path)
      throw error
    })
    await this.#check(real, path)
    return real
  }

  /**
   * Throws OutsideRoots where an open file lies outside: a folder on its way may have been swapped for a link after
   * `realPath`. Only Linux tells where an open file lies.
   */
  async checkOpen({ fd }: FileHandle, path: string, realPath: string): Promise<void> {
    const real = await readlink(`/proc/self/fd/${fd}`).catch(() => realPath)
    // One that was replaced meanwhile has this behind its name.
    if (real !== realPath) await this.#check(real.replace(/ \(deleted\)$/, ''), path)
  }

  /** Makes the folder, and the root it lies in, when they are missing; gives where it really lies. */
  async makeFolder(folder: string): Promise<string> {
    const root = this.paths.find((root) => isBelow(root, folder))
    if (root !== undefined) await mkdir(root, { recursive: true })
    await this.#check(await deepestReal(folder), folder)
    await mkdir(folder, { recursive: true })
    return this.realPath(folder)
  }

  async #check(real: string, path: string): Promise<void> {
    for (const root of this.paths) {
      const realRoot = this.#real.get(root) ?? (await realpath(root).catch(() => undefined))
      if (realRoot === undefined) {
        // A root that does not exist yet contains nothing, but asking for something in it is no trespass.
        if (isBelow(root, path) && isBelow(real, root)) return
        continue
      }
      this.#real.set(root, realRoot)
      if (isBelow(realRoot, real) && !real.slice(realRoot.length).split(sep).includes(STATE_FOLDER)) return
    }
    throw OutsideRoots(fileUri(path), this.paths.join(', ') || 'none is set').with({ place: { shard: fileUri(path) } })
  }
}

/** Where the closest existing ancestor of a path really lies, or the path itself. */
async function deepestReal(path: string): Promise<string> {
  for (let at = path; ; at = dirname(at)) {
    try {
      return await realpath(at)
    } catch (error) {
      if (at === dirname(at) || !['ENOENT', 'ENOTDIR', 'EACCES'].includes(errnoOf(error) ?? '')) throw error
    }
  }
}

function isBelow(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}
