import { Command, Option } from 'commander'
import { createClient, type StokerClient } from '../client/client.js'
import { createOutput, type Output } from '../terminal/output.js'

export interface CommonOptions {
  readonly json?: boolean
}
export interface ApiOptions extends CommonOptions {
  readonly url: string
}

export const DEFAULT_URL = 'http://127.0.0.1:7070'

/** A command with --json. */
export const localCommand = (name: string, summary: string): Command =>
  new Command(name).description(summary).option('--json', 'machine-readable output on stdout')

/** A command that talks to the api. An empty address counts as none. */
export const apiCommand = (name: string, summary: string): Command =>
  localCommand(name, summary).addOption(
    new Option('--url <url>', 'address of the api')
      .env('STOKER_URL')
      .default(DEFAULT_URL)
      .argParser((url) => (url === '' ? DEFAULT_URL : url)),
  )

export const outputOf = (options: CommonOptions): Output => createOutput(options.json === true)

/** From the environment alone: what stands in a command line, every user of the machine can read. */
export const apiKey = (): string | undefined => process.env.STOKER_API_KEY || undefined

export const clientOf = (options: ApiOptions): StokerClient => createClient(options.url, { key: apiKey() })
