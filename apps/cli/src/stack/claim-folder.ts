import { createHash } from 'node:crypto'
import { mkdir, realpath, rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/*
 * Two stacks must not write to one folder. Whoever owns a folder listens on a Unix socket whose name is derived from
 * the folder's path: the operating system frees it with the process, however that ends, so there is no stale lock to
 * wait for and no process id to mistake for another's.
 */
export interface Claim {
  readonly folder: string
  release(): Promise<void>
}

const MOST_SLOTS = 64

/** The folder, or, while other stacks use it, the first free one of `folder/2`, `folder/3`, ... */
export async function claimFolder(folder: string): Promise<Claim> {
  for (let slot = 1; slot <= MOST_SLOTS; slot++) {
    const path = slot === 1 ? folder : join(folder, String(slot))
    await mkdir(path, { recursive: true })
    const server = await claim(await realpath(path))
    if (server) return { folder: path, release: () => closed(server) }
  }
  throw new Error(`${MOST_SLOTS} stacks use ${folder}`)
}

async function claim(path: string): Promise<Server | undefined> {
  const name = createHash('sha256').update(path).digest('hex').slice(0, 20)
  const address = join(tmpdir(), `stoker-${process.getuid?.() ?? 0}-${name}.sock`)
  const server = await listen(address)
  if (server || (await answers(address))) return server
  await rm(address, { force: true })
  return listen(address)
}

function listen(address: string): Promise<Server | undefined> {
  return new Promise((done, fail) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? done(undefined) : fail(error),
    )
    server.listen(address, () => done(server))
  })
}

function answers(address: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(address, () => {
      socket.destroy()
      done(true)
    })
    socket.once('error', () => done(false))
  })
}

const closed = (server: Server): Promise<void> => new Promise((done) => server.close(() => done()))
