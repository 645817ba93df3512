import type { Command } from 'commander'
import { table } from '../terminal/output.js'
import { type ApiOptions, apiCommand, outputOf } from './command.js'

const MARKS = { ok: 'ok', absent: '--', missing: 'NO' } as const

export const doctorCommand = (): Command =>
  apiCommand('doctor', 'what is here, what is missing, and the command that brings it').action(
    async (options: ApiOptions) => {
      const { examine } = await import('../doctor/checks.js')
      const checks = await examine(process.cwd(), options.url)
      const rows = checks.flatMap(({ name, status, detail, fix }) => [
        [MARKS[status], name, detail],
        ...(fix === undefined ? [] : [['', '', `fix: ${fix}`]]),
      ])
      outputOf(options).result({ checks }, table(rows))
      if (checks.some(({ status }) => status === 'missing')) process.exitCode = 1
    },
  )
