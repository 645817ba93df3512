import { access, constants, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { startRedis } from '@stoker/services'
import { STATE_FOLDER } from '@stoker/storage'
import { NoDataFolder } from '../error-table.js'
import { counted } from '../terminal/counted.js'
import { type Claim, claimFolder } from './claim-folder.js'
import { appEnvironment, placesOf } from './environment.js'
import { type IsReady, startNodeProcess } from './node-process.js'
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
  /**
   * Where store, Redis data and logs go; `.stoker` in the data folder when left out, or in the working directory where
   * the data folder is read-only.
   */
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
type App = keyof typeof GRACE_MS

/**
 * Starts api, workers and trainer as processes, with an embedded Redis when none is given, and returns when all are
 * ready. None of them outlives this process, whatever ends it. What was started is stopped when a later part fails.
 *
 * @throws NoDataFolder, PortTaken, NoRedis, NotBuilt, ProcessNotReady
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const { workers = 2, host = '127.0.0.1', env = process.env, tell = () => {}, note = () => {} } = options
  const dataDir = await existingFolder(resolve(options.dataDir ?? '.'))
  const port = await bindablePort(host, options.port ?? DEFAULT_PORT)
  const claim = await claimFolder(options.stateDir ?? (await stateFolder(dataDir)))
  const stateDir = claim.folder
  const started: Supervised[] = []
  const keep = async (name: string, start: Start): Promise<Supervised> => {
    const process = await supervise(name, start, tell)
    started.push(process)
    return process
  }
  try {
    const places = placesOf({ stateDir, dataDir, store: options.store, fileRoots: env.STOKER_FILE_ROOTS })
    if (options.redisUrl === undefined) note('starting Redis')
    const redis = options.redisUrl ?? (await keepRedis(keep, places.redisDir))
    const appEnv = appEnvironment(env, { redisUrl: redis, places, host, port, workers })
    const isTls = (env.STOKER_TLS_CERT_FILE ?? '') !== ''
    const api = `${isTls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`
    const keepApp = (app: App, name: string, isReady: IsReady) =>
      keep(name, (signal) => {
        const logFile = join(places.logDir, `${name}.log`)
        const spec = { name, script: programOf(app), env: appEnv, isReady, logFile, graceMs: GRACE_MS[app] }
        return startNodeProcess(spec, signal)
      })

    note(`starting api, ${counted(workers, 'worker')}${options.trainer === false ? '' : ' and trainer'}`)
    // Over TLS this process may not trust the certificate, or know the name in it.
    const apiProcess = keepApp('api', 'api', isTls ? saysReady : () => answersReady(api))
    const trainer = options.trainer === false ? undefined : keepApp('trainer', 'trainer', saysReady)
    const workerProcesses = Array.from({ length: workers }, (_, at) => keepApp('worker', `worker-${at + 1}`, saysReady))
    await allOrNone([apiProcess, ...(trainer ? [trainer] : []), ...workerProcesses])
    let stopping: Promise<void> | undefined
    return {
      ...{ api, redis, store: places.store, dataDir, stateDir, logDir: places.logDir },
      processes: {
        api: await apiProcess,
        workers: await Promise.all(workerProcesses),
        ...(trainer ? { trainer: await trainer } : {}),
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

/** Jobs cannot read what lies in it, though it lies within the data: see STATE_FOLDER. */
async function stateFolder(dataDir: string): Promise<string> {
  const isWritable = await access(dataDir, constants.W_OK).then(
    () => true,
    () => false,
  )
  return join(isWritable ? dataDir : process.cwd(), STATE_FOLDER)
}

/** @throws NoDataFolder */
async function existingFolder(path: string): Promise<string> {
  const isFolder = await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
  if (!isFolder) throw NoDataFolder(path)
  return path
}

type Start = (signal: AbortSignal) => Promise<Running>

/** Starts an embedded Redis; one that dies comes back on the same port, with the data it saved. Returns its URL. */
async function keepRedis(keep: (name: string, start: Start) => Promise<unknown>, dir: string): Promise<string> {
  let url = ''
  await keep('redis', async () => {
    const server = await startRedis({
      dir,
      appendOnly: true,
      ...(url === '' ? {} : { port: Number(new URL(url).port) }),
    })
    url = server.url
    return server
  })
  return url
}

/** Waits for all, so that none is still starting when the first failure is told. */
async function allOrNone(starting: readonly Promise<unknown>[]): Promise<void> {
  const results = await Promise.allSettled(starting)
  const failed = results.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

/** Redis goes last: the others still write to it while they end. */
async function stopAll(started: readonly Supervised[], claim: Claim): Promise<void> {
  await Promise.all(started.filter(({ name }) => name !== 'redis').map((process) => process.stop()))
  await Promise.all(started.map((process) => process.stop()))
  await claim.release()
}

const saysReady: IsReady = async (messages) => messages.has('ready')

async function answersReady(api: string): Promise<boolean> {
  try {
    const response = await fetch(`${api}/readyz`, { signal: AbortSignal.timeout(2_000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}
