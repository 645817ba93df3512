import { type ChildProcess, spawn } from 'node:child_process'
import { ServerNotStarted } from './error-table.js'

// A server here is a child that cannot outlive its parent, whatever ends the parent, SIGKILL included. A small shell
// starts a watcher and then becomes the server (exec keeps the pid). The watcher reads a pipe that only the parent
// writes to: end of file means that the parent is gone, and the server is killed and its temporary folder removed; a line
// means that the server has ended and its pid may belong to someone else by now. The child leads its own session, so that Ctrl-C in a terminal
// reaches the parent only, which then stops its servers in the order it wants.
const GUARD = `
exec 3<&0
temporary=$1
shift
( read -r _ <&3 || { kill -KILL $$; [ -z "$temporary" ] || rm -rf -- "$temporary"; } ) >/dev/null 2>&1 &
exec "$@" 3<&- </dev/null
`
const LOG_CHARS = 64 * 1024
const GRACE_MS = 10_000

export interface ChildServer {
  readonly pid: number
  /** The last 64 KiB of what it wrote to stdout and stderr. */
  log(): string
  hasExited(): boolean
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>
  /** SIGTERM, then SIGKILL when the grace time is over; resolves when the process is gone. */
  stop(): Promise<void>
  /** SIGKILL at once, for tests of sudden death. */
  kill(): void
}

export interface ChildServerOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** A folder of its own that goes with it when the parent dies without `stop`. */
  readonly temporaryFolder?: string
  /** How long `stop` waits after SIGTERM before SIGKILL; 10 s when left out. */
  readonly graceMs?: number
  /** Receives what it writes to stdout and stderr, as it comes. */
  readonly onOutput?: (text: string, stream: 'stdout' | 'stderr') => void
}

export async function startChildServer(
  program: string,
  args: readonly string[],
  { graceMs = GRACE_MS, temporaryFolder = '', onOutput, ...options }: ChildServerOptions = {},
): Promise<ChildServer> {
  const child = spawn('/bin/sh', ['-c', GUARD, 'stoker-guard', temporaryFolder, program, ...args], {
    ...options,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const pid = await pidOf(child, program)
  let log = ''
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-LOG_CHARS)
      onOutput?.(text, stream)
    })
  }
  // The watcher may close the pipe first; that is no news.
  child.stdin.on('error', () => {})
  const exited = new Promise<void>((done) => {
    child.once('exit', () => child.stdin.end('ended\n', () => done()))
  })
  const hasExited = () => child.exitCode !== null || child.signalCode !== null
  let stopping: Promise<void> | undefined
  return {
    pid,
    exited,
    hasExited,
    log: () => log,
    kill: () => void (hasExited() || child.kill('SIGKILL')),
    stop: () => {
      stopping ??= stopChild(child, exited, hasExited, graceMs)
      return stopping
    },
  }
}

function pidOf(child: ChildProcess, program: string): Promise<number> {
  return new Promise((done, fail) => {
    child.once('error', (error) => fail(ServerNotStarted(program, error.message).with({ cause: error })))
    child.once('spawn', () => done(child.pid ?? 0))
  })
}

async function stopChild(
  child: ChildProcess,
  exited: Promise<void>,
  hasExited: () => boolean,
  graceMs: number,
): Promise<void> {
  if (!hasExited()) child.kill('SIGTERM')
  const hardStop = setTimeout(() => child.kill('SIGKILL'), graceMs)
  await exited
  clearTimeout(hardStop)
}
