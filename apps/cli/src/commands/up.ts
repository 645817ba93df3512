import { once } from 'node:events'
import type { Command } from 'commander'
import type { Stack } from '../stack/stack.js'
import { type CommonOptions, localCommand, outputOf } from './command.js'
import { whole } from './numbers.js'

interface UpOptions extends CommonOptions {
  readonly workers: number
  readonly host: string
  readonly port: number
  readonly redis?: string
  readonly store?: string
  readonly data?: string
  readonly trainer: boolean
}

export const upCommand = (): Command =>
  localCommand('up', 'run the whole stack in the foreground: Redis, api, workers, trainer')
    .option('--workers <n>', 'preprocessing workers', whole(0, 256), 2)
    .option('--port <port>', 'port of the api, 0 for a free one', whole(0, 65_535), 7070)
    .option('--host <host>', 'address that the api binds to', '127.0.0.1')
    .option('--redis <url>', 'a running Redis instead of the embedded one')
    .option('--store <uri>', 'where checkpoints, models and scratch go: s3://bucket/prefix or file:///dir')
    .option('--data <dir>', 'your data: relative file: URIs start here (default: the working directory)')
    .option('--no-trainer', 'feed-only: start no trainer')
    .action(runUp)

async function runUp(options: UpOptions): Promise<void> {
  const output = outputOf(options)
  const { startStack } = await import('../stack/stack.js')
  const stack = await startStack({
    ...{ workers: options.workers, host: options.host, port: options.port, trainer: options.trainer },
    ...{ redisUrl: options.redis, store: options.store, dataDir: options.data },
    note: output.note,
    tell: (told) => output.warn(JSON.stringify(told)),
  })
  output.result(addressesOf(stack), textOf(stack))
  await signalled()
  output.note('stopping')
  process.once('SIGINT', stack.kill)
  process.once('SIGTERM', stack.kill)
  await stack.stop()
}

async function signalled(): Promise<void> {
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM'), once(process, 'SIGHUP')])
}

export function addressesOf(stack: Stack) {
  const { api, redis, store, dataDir, stateDir, logDir, processes } = stack
  return {
    ...{ api, page: `${api}/`, redis: withoutPassword(redis), store, data: dataDir, state: stateDir, logs: logDir },
    workers: processes.workers.map((worker) => worker.pid()),
    trainer: processes.trainer?.pid() ?? null,
    pid: process.pid,
  }
}

function textOf(stack: Stack): string {
  const { processes } = stack
  return [
    `stoker is up: ${stack.api}/`,
    `  redis    ${withoutPassword(stack.redis)}`,
    `  store    ${stack.store}`,
    `  data     ${stack.dataDir}`,
    `  logs     ${stack.logDir}`,
    `  workers  ${processes.workers.length}, trainer ${processes.trainer ? 'yes' : 'no'}`,
    'Ctrl-C stops everything.',
  ].join('\n')
}

/** The last `@` ends a password, which may hold any character: not all of these addresses are URLs that parse. */
const withoutPassword = (address: string): string => address.replace(/\/\/.*@/s, '//***@').replace(/\/$/, '')
