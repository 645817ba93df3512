import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ChildServer } from './child-server.js'

export interface RunningServer {
  readonly url: string
  readonly pid: number
  /** The last 64 KiB of what it wrote to stdout and stderr. */
  readonly log: () => string
  /** Resolves when the process is gone, whatever ended it. */
  readonly exited: Promise<void>
  /** SIGTERM, waits until the process is gone, removes its folder when that was a temporary one. Safe to call twice. */
  stop(): Promise<void>
  /** SIGKILL at once, for tests of sudden death; `stop` still cleans up afterwards. */
  kill(): void
}

export interface Folder {
  readonly path: string
  /** For `startChildServer`: the path of a temporary folder, nothing for a given one. */
  readonly childOptions: { readonly temporaryFolder?: string }
  /** Removes a temporary folder; a given one stays. */
  remove(): Promise<void>
}

/** The given folder (made when missing), or a temporary one. */
export async function ownFolder(prefix: string, given: string | undefined): Promise<Folder> {
  if (given === undefined) {
    const path = await mkdtemp(join(tmpdir(), prefix))
    return { path, childOptions: { temporaryFolder: path }, remove: () => rm(path, { recursive: true, force: true }) }
  }
  const path = resolve(given)
  await mkdir(path, { recursive: true })
  return { path, childOptions: {}, remove: async () => {} }
}

export function running(url: string, server: ChildServer, folder: Folder): RunningServer {
  return {
    url,
    pid: server.pid,
    log: server.log,
    exited: server.exited,
    kill: server.kill,
    stop: async () => {
      await server.stop()
      await folder.remove()
    },
  }
}
