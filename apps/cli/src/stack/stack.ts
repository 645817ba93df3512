import { join, resolve } from 'node:path'
import { startRedis } from '@stoker/services'
import { type Claim, claimFolder } from './claim-folder.js'
import { appEnvironment, placesOf } from './environment.js'
import { startNodeProcess } from './node-process.js'
import { bindablePort } from './port.js'
import { programOf } from './programs.js'
import { type Running, type Supervised, supervise, type Told } from './supervise.js'

export interface StackOptions {
  readonly workers?: number
  /** False starts no trainer: feed-only jobs run all the same. */
  readonly trainer?: boolean
  readonly host?: string
  /** 0 picks a free one. */
  readonly port?: number
  /** A running Redis; an embedded one when left out. */
  readonly redisUrl?: string | undefined
  /** URI for checkpoints, models and scratch; a folder in the state folder when left out. */
  readonly store?: string | undefined
  /** The user's folder, first root of `file:` URIs. The working directory when left out. */
  readonly dataDir?: string | undefined
  /** Where store, Redis data and logs go; `.stoker` in the data folder when left out. */
  readonly stateDir?: string | undefined
  readonly env?: NodeJS.ProcessEnv
  /** What happens to the processes after the start. */
  readonly tell?: (told: Told) => void
  /** What is being started. */
  readonly note?: (text: string) => void
}

export interface Stack {
  readonly api: string
  readonly redis: string
  readonly store: string
  readonly dataDir: string
  readonly stateDir: string
  readonly logDir: string
  readonly processes: {
    readonly api: Supervised
    readonly workers: readonly Supervised[]
    readonly trainer?: Supervised
  }
  /** Stops trainer, workers and api gracefully, then what else was started. Safe to call twice. */
  stop(): Promise<void>
  /** Ends everything at once. */
  kill(): void
}

const DEFAULT_PORT = 7070
const GRACE_MS = { api: 10_000, worker: 15_000, trainer: 30_000 } as const
type Say = (messages: ReadonlySet<string>) => Promise<boolean>
const saysReady: Say = async (messages) => messages.has('ready')

/**
 * Starts api, workers and trainer as processes, with an embedded Redis when none is given, and returns when all are
 * ready. None of them outlives this process, whatever ends it. What was started is stopped when a later part fails.
 *
 * @throws PortTaken, NoRedis, NotBuilt, ProcessNotReady
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const { workers = 2, host = '127.0.0.1', env = process.env, tell = () => {}, note = () => {} } = options
  const dataDir = resolve(options.dataDir ?? '.')
  const port = await bindablePort(host, options.port ?? DEFAULT_PORT)
  const claim = await claimFolder(options.stateDir ?? join(dataDir, '.stoker'))
  const started: Supervised[] = []
  try {
    const places = placesOf({
      ...{ stateDir: claim.folder, dataDir },
      ...{ store: options.store, fileRoots: env.STOKER_FILE_ROOTS },
    })
    const keep = async (name: string, start: (signal: AbortSignal) => Promise<Running>) => {
      const process = await supervise(name, start, tell)
      started.push(process)
      return process
    }

    let redisUrl = options.redisUrl
    if (redisUrl === undefined) {
      note('starting Redis')
      let redisPort: number | undefined
      await keep('redis', async () => {
        const server = await startRedis({ dir: places.redisDir, ...(redisPort ? { port: redisPort } : {}) })
        redisUrl = server.url
        redisPort = Number(new URL(server.url).port)
        return server
      })
    }
    const appEnv = appEnvironment(env, { redisUrl: redisUrl ?? '', places, host, port, workers })
    const api = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
    const app = (kind: 'api' | 'worker' | 'trainer', name: string, isReady: Say) =>
      keep(name, (signal) =>
        startNodeProcess(
          {
            ...{ name, script: programOf(kind), env: appEnv, isReady },
            ...{ logFile: join(places.logDir, `${name}.log`), graceMs: GRACE_MS[kind] },
          },
          signal,
        ),
      )
    note(`starting api, ${workers} workers${options.trainer === false ? '' : ' and trainer'}`)
    const [apiProcess, trainer, ...workerProcesses] = await allOrNone([
      app('api', 'api', () => answersReady(api)),
      ...(options.trainer === false ? [Promise.resolve(undefined)] : [app('trainer', 'trainer', saysReady)]),
      ...Array.from({ length: workers }, (_, at) => app('worker', `worker-${at + 1}`, saysReady)),
    ])
    if (!apiProcess) throw new Error('the api is missing')
    let stopping: Promise<void> | undefined
    return {
      ...{ api, redis: redisUrl ?? '', store: places.store, dataDir, stateDir: claim.folder, logDir: places.logDir },
      processes: {
        api: apiProcess,
        workers: workerProcesses.filter((process) => process !== undefined),
        ...(trainer ? { trainer } : {}),
      },
      kill: () => {
        for (const process of started) process.kill()
      },
      stop: () => {
        stopping ??= stopAll(started, claim)
        return stopping
      },
    }
  } catch (error) {
    await stopAll(started, claim)
    throw error
  }
}

/** Waits for all, so that none is still starting when the first failure is told. */
async function allOrNone<T>(starting: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(starting)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

/** Redis goes last: the others still write to it while they end. */
async function stopAll(started: readonly Supervised[], claim: Claim): Promise<void> {
  await Promise.all(started.filter(({ name }) => name !== 'redis').map((process) => process.stop()))
  await Promise.all(started.map((process) => process.stop()))
  await claim.release()
}

async function answersReady(api: string): Promise<boolean> {
  try {
    const response = await fetch(`${api}/readyz`, { signal: AbortSignal.timeout(2_000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
