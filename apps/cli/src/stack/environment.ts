import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

export interface Places {
  /** Store, Redis data and logs of this stack. */
  readonly stateDir: string
  /** Folders that `file:` may read; relative URIs start at the first. */
  readonly fileRoots: readonly string[]
  /** URI of the store. */
  readonly store: string
  readonly logDir: string
  readonly redisDir: string
}

/** Where a stack reads and writes: the user's folder is the first root, a store in a folder is the last. */
export function placesOf(options: {
  readonly stateDir: string
  readonly dataDir: string
  readonly store?: string | undefined
  readonly fileRoots?: string | undefined
}): Places {
  const { stateDir, dataDir } = options
  const storeDir = join(stateDir, 'store')
  const [logDir, redisDir] = [join(stateDir, 'logs'), join(stateDir, 'redis')]
  for (const folder of [logDir, redisDir, ...(options.store ? [] : [storeDir])]) mkdirSync(folder, { recursive: true })
  const given = (options.fileRoots ?? '').split(':').filter((root) => root !== '')
  const fileRoots = [...new Set([dataDir, ...given, storeDir].map((root) => resolve(root)))]
  return { stateDir, fileRoots, store: options.store ?? pathToFileURL(storeDir).href, logDir, redisDir }
}

/** Environment of the apps. What the user's own environment says about the rest (S3, log level, keys) passes through. */
export function appEnvironment(
  env: NodeJS.ProcessEnv,
  stack: {
    readonly redisUrl: string
    readonly places: Places
    readonly host: string
    readonly port: number
    readonly workers: number
  },
): NodeJS.ProcessEnv {
  const { redisUrl, places, host, port, workers } = stack
  const share = Math.max(1, Math.floor(availableParallelism() / Math.max(1, workers)))
  return {
    ...env,
    STOKER_REDIS_URL: redisUrl,
    STOKER_STORE: places.store,
    STOKER_FILE_ROOTS: places.fileRoots.join(':'),
    STOKER_HOST: host,
    STOKER_PORT: String(port),
    STOKER_WORKER_PARALLELISM: env.STOKER_WORKER_PARALLELISM ?? String(share),
  }
}
