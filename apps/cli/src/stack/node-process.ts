import { appendFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { startChildServer } from '@stoker/services'
import { ProcessNotReady } from '../error-table.js'
import type { Running } from './supervise.js'

export interface NodeProcess {
  readonly name: string
  /** Path of the script. */
  readonly script: string
  readonly env: NodeJS.ProcessEnv
  readonly logFile: string
  /** From SIGTERM to SIGKILL. */
  readonly graceMs: number
  /** Whether it is ready, given the messages it has logged so far; asked again until it says yes. */
  readonly isReady: IsReady
}

export type IsReady = (messages: ReadonlySet<string>) => Promise<boolean>

const READY_MS = 60_000
const LOOK_EVERY_MS = 25

/**
 * Starts a Node script that cannot outlive this process, with its output in a log file, and waits until it is ready.
 * @throws ProcessNotReady with the end of its output
 */
export async function startNodeProcess(spec: NodeProcess, signal: AbortSignal): Promise<Running> {
  const messages = new Set<string>()
  const readLine = createMessageReader((message) => messages.add(message))
  const child = await startChildServer(process.execPath, ['--enable-source-maps', spec.script], {
    env: spec.env,
    graceMs: spec.graceMs,
    onOutput: (text, stream) => {
      // Synchronous, so that its last words reach the file also when this process ends next.
      appendFileSync(spec.logFile, text)
      if (stream === 'stdout') readLine(text)
    },
  })
  const deadline = performance.now() + READY_MS
  while (!child.hasExited() && !signal.aborted && performance.now() < deadline) {
    if (await spec.isReady(messages)) return child
    await Promise.race([child.exited, pause(LOOK_EVERY_MS)])
  }
  await child.stop()
  const lastWords = child.log().trim().slice(-1000) || 'it wrote nothing'
  throw ProcessNotReady(spec.name, lastWords).with({ remedy: `read ${spec.logFile}` })
}

/** Collects the `msg` of JSON log lines out of chunks of text. */
export function createMessageReader(onMessage: (message: string) => void): (text: string) => void {
  let rest = ''
  return (text) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = messageOf(line)
      if (message !== undefined) onMessage(message)
    }
  }
}

function messageOf(line: string): string | undefined {
  try {
    const entry: unknown = JSON.parse(line)
    if (typeof entry !== 'object' || entry === null || !('msg' in entry)) return undefined
    return typeof entry.msg === 'string' ? entry.msg : undefined
  } catch {
    return undefined
  }
}
