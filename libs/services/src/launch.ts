import { setTimeout as pause } from 'node:timers/promises'
import { type ChildServer, type ChildServerOptions, startChildServer } from './child-server.js'
import { ServerNotStarted } from './error-table.js'
import { freePort } from './free-port.js'

export interface Launch {
  readonly name: string
  readonly program: string
  readonly args: (port: number) => readonly string[]
  readonly options?: ChildServerOptions
  /** A fixed port is tried once; without one a free port is picked, and another when that one is taken meanwhile. */
  readonly port?: number | undefined
  readonly pickPort?: () => Promise<number>
  /** Whether *this* server (not another one on the same port) answers. May throw while it is not up. */
  readonly answers: (port: number, pid: number) => Promise<boolean>
}

const START_MS = 30_000
const PORT_TRIES = 5
const PORT_TAKEN = /address (is )?already in use|EADDRINUSE|could not create server TCP listening socket/i

/** Starts the server and waits until it answers. */
export async function launch(spec: Launch): Promise<{ server: ChildServer; port: number }> {
  const tries = spec.port === undefined ? PORT_TRIES : 1
  for (let attempt = 1; ; attempt++) {
    const port = spec.port ?? (await (spec.pickPort ?? freePort)())
    const server = await startChildServer(spec.program, spec.args(port), spec.options)
    if (await becomesReady(spec, server, port)) return { server, port }
    await server.stop()
    if (attempt < tries && PORT_TAKEN.test(server.log())) continue
    throw ServerNotStarted(
      spec.name,
      `${spec.program} on port ${port}: ${server.log().trim().slice(-1000) || 'no output'}`,
    )
  }
}

async function becomesReady(spec: Launch, server: ChildServer, port: number): Promise<boolean> {
  const deadline = performance.now() + START_MS
  while (!server.hasExited() && performance.now() < deadline) {
    if (await spec.answers(port, server.pid).catch(() => false)) return true
    await Promise.race([pause(15), server.exited])
  }
  return false
}
