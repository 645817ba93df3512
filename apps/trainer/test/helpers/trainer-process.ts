import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url))

export interface LogLine {
  readonly msg: string
  readonly [field: string]: unknown
}

/** The real trainer as a process of its own. */
export interface TrainerProcess {
  readonly child: ChildProcess
  readonly lines: readonly LogLine[]
  /** The first log line with this message, now or later. Fails when the process ends before. */
  said(msg: string): Promise<LogLine>
  signal(name: NodeJS.Signals): void
  /** Exit code, or the signal's name. */
  readonly ended: Promise<number | string>
  /** Kills it if it still runs. */
  stop(): Promise<void>
}

export function startTrainer(env: Readonly<Record<string, string>>): TrainerProcess {
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, STOKER_TRAINER_LOCK_MS: '2000', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: LogLine[] = []
  const waiting = new Set<() => void>()
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-16_384)
  })
  createInterface(child.stdout).on('line', (line) => {
    lines.push(line.startsWith('{') ? (JSON.parse(line) as LogLine) : { msg: line })
    for (const look of waiting) look()
  })
  let hasEnded = false
  const ended = once(child, 'close').then(([code, signal]) => {
    hasEnded = true
    for (const look of waiting) look()
    return (code ?? signal) as number | string
  })
  const said = (msg: string) =>
    new Promise<LogLine>((resolve, reject) => {
      const look = () => {
        const found = lines.find((line) => line.msg === msg)
        if (found) resolve(found)
        else if (hasEnded) reject(new Error(`the trainer ended without "${msg}":\n${JSON.stringify(lines)}\n${errors}`))
        else return
        waiting.delete(look)
      }
      waiting.add(look)
      look()
    })
  return {
    child,
    lines,
    said,
    ended,
    signal: (name) => {
      child.kill(name)
    },
    stop: async () => {
      if (!hasEnded) child.kill('SIGKILL')
      await ended
    },
  }
}
