import { Argument, Command, Option } from 'commander'
import { whole } from '../commands/numbers.js'
import { SCENARIOS, type Scenario } from './templates.js'

export interface DemoOptions {
  readonly scenario: Scenario
  readonly json: boolean
  readonly keep: boolean
  readonly workers: number
  readonly port?: number
  readonly epochs?: number
  readonly redis?: string
  readonly store?: string
  readonly state: string
  readonly engine: 'auto' | 'installed'
}

/** @throws CommanderError after it has told what is wrong */
export function parseDemoOptions(argv: readonly string[]): DemoOptions {
  const program = new Command('npm run demo --')
    .description('Trains on real data from start to end on this machine.')
    .addArgument(new Argument('[scenario]', 'what to train').choices(SCENARIOS).default('digits'))
    .option('--json', 'last line of stdout: the figures as JSON', false)
    .option('--keep', 'leave the stack running when the job is done', false)
    .option('--workers <n>', 'preprocessing workers', whole(1, 64), 2)
    .option('--port <port>', 'port of the api (default: 7070, or a free one when that is taken)', whole(0, 65_535))
    .option('--epochs <n>', 'passes over the data', whole(1, 1000))
    .option('--redis <url>', 'a running Redis instead of the embedded one')
    .option('--store <uri>', 'where data, checkpoints and models go')
    .option('--state <dir>', 'folder of what is kept for the next start', '.stoker/demo')
    .addOption(
      new Option(
        '--engine <how>',
        'auto builds the TensorFlow engine when it is missing; installed takes what is there',
      )
        .choices(['auto', 'installed'])
        .default('auto'),
    )
    .exitOverride()
  program.parse(argv, { from: 'user' })
  return {
    ...program.opts<Omit<DemoOptions, 'scenario'>>(),
    scenario: SCENARIOS.find((name) => name === program.args[0]) ?? 'digits',
  }
}
