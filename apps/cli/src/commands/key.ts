import { appendFile } from 'node:fs/promises'
import type { Command } from 'commander'
import { type CommonOptions, localCommand, outputOf } from './command.js'

interface KeyOptions extends CommonOptions {
  readonly scopes: string
  readonly file?: string
}

const HELP = `
The key goes to who uses it, as STOKER_API_KEY; it is shown once and kept nowhere. The line, which holds its SHA-256 only,
goes into the file that STOKER_API_KEYS_FILE of the api names (or into STOKER_API_KEYS); the api reads it when it starts.
Scopes: jobs:read looks at jobs and batches; jobs:write submits, controls and consumes; admin also sees the queue board.`

export const keyCommand = (): Command =>
  localCommand('key', 'make an API key')
    .argument('<name>', 'whose it is: stands in the log beside what it does')
    .option('--scopes <list>', 'what it may do: jobs:read, jobs:write, admin', 'jobs:read,jobs:write')
    .option('--file <path>', 'append the line to this file of keys')
    .addHelpText('after', HELP)
    .action(async (name: string, { scopes, file, ...options }: KeyOptions) => {
      const { makeApiKey } = await import('@stoker/settings')
      const { key, line } = makeApiKey(name, scopes.split(','))
      if (file !== undefined) await appendFile(file, `${line}\n`, { mode: 0o600 })
      outputOf(options).result({ key, line }, `key   ${key}\nline  ${line}`)
    })
