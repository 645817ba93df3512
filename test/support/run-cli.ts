import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

export const stokerBin = fileURLToPath(new URL('../../apps/cli/bin/stoker.mjs', import.meta.url))
export const demoBin = fileURLToPath(new URL('../../apps/cli/bin/demo.mjs', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  /** stdout's lines, parsed. */
  readonly lines: readonly unknown[]
}

export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly script?: string
}

/** Runs the real command to its end. */
export async function runCli(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const child = spawn(process.execPath, [options.script ?? stokerBin, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  })
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  child.stdin.end(options.stdin ?? '')
  const [code] = await once(child, 'close')
  const lines = stdout
    .split('\n')
    .flatMap((line) => (line.startsWith('{') || line.startsWith('[') ? [parse(line)] : []))
  return { code, stdout, stderr, lines }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return line
  }
}

/** Starts the real command; `told` resolves when stderr matches, and rejects when the command ends before. */
export function startCli(args: readonly string[], options: Omit<RunOptions, 'stdin' | 'script'> = {}) {
  const child = spawn(process.execPath, [stokerBin, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  const told = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(stderr)) {
      const heard = await Promise.race([once(child.stderr, 'data').then(() => true), ended.then(() => false)])
      if (!heard && !pattern.test(stderr)) throw new Error(`it ended without saying ${pattern}: ${stderr}`)
    }
  }
  return { child, told, ended, stderr: () => stderr }
}

export interface Up {
  readonly child: ChildProcessByStdio<null, Readable, Readable>
  readonly addresses: {
    readonly api: string
    readonly redis: string
    readonly workers: number[]
    readonly trainer: number | null
  }
  stderr(): string
  ended(): Promise<number | null>
}

/** Starts `stoker up --json` and returns when it has said where everything is. */
export async function startUp(args: readonly string[], options: RunOptions = {}): Promise<Up> {
  const child = spawn(process.execPath, [stokerBin, 'up', '--json', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
  })
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const exit = once(child, 'exit')
  const line = once(createInterface({ input: child.stdout }), 'line')
  const first = await Promise.race([line, exit.then(() => undefined)])
  if (!first?.[0].startsWith('{"api"')) {
    await exit
    throw new Error(`stoker up ended before it was ready: ${stderr}`)
  }
  return {
    child,
    addresses: JSON.parse(String(first[0])),
    stderr: () => stderr,
    ended: async () => (await exit)[0] as number | null,
  }
}
