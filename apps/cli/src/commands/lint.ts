import type { Command } from 'commander'
import { loadSpec } from '../spec-file.js'
import { findingText } from '../terminal/error-text.js'
import { type ApiOptions, apiCommand, clientOf, outputOf } from './command.js'

export const lintCommand = (): Command =>
  apiCommand('lint', 'say what is wrong or slow about a job, without running it')
    .argument('<file>', 'job as JSON, as a module (.mjs, .js, .ts), or - for standard input')
    .action(async (file: string, options: ApiOptions) => {
      const findings = await clientOf(options).lint(await loadSpec(file))
      outputOf(options).result({ findings }, findings.map(findingText).join('\n') || 'nothing to say')
      if (findings.some(({ level }) => level === 'error')) process.exitCode = 1
    })
