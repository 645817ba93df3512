import { spawn } from 'node:child_process'
import { ToolFailed } from './error-table.js'

/** Runs a program to its end and gives its standard output. Throws ToolFailed with the last lines it wrote. */
export function runTool(
  program: string,
  args: readonly string[],
  options: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Promise<string> {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    let all = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      all += text
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      all += text
    })
    const command = [program, ...args].join(' ')
    child.once('error', (error) => fail(ToolFailed(command, error.message).with({ cause: error })))
    child.once('close', (code, signal) => {
      if (code === 0) done(output)
      else fail(ToolFailed(command, `${signal ?? `exit code ${code}`}\n${all.trim().slice(-1500)}`))
    })
  })
}
