import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findS3Server, type RunningS3, startS3 } from '@stoker/services'
import { type StorageConfig, storageConfigFromEnv } from '@stoker/storage'

export interface DemoStore {
  /** URI for data, checkpoints and models. */
  readonly uri: string
  /** Environment by which the apps reach it. */
  readonly env: Readonly<Record<string, string>>
  /** How this process reaches it. */
  readonly storage: StorageConfig
  readonly about: string
  /** Where an object of the store lies once this run has ended: its URI, or a file of the server that ends with it. */
  lastingPlace(uri: string): string
  stop(): Promise<void>
}

const BUCKET = 'stoker-demo'

/**
 * A real S3 server where one is installed; else a folder, and it says so. A given URI is taken as it is.
 * The data stay in the state folder for the next start.
 */
export async function openDemoStore(given: string | undefined, stateDir: string): Promise<DemoStore> {
  const idle = (uri: string, about: string): DemoStore => ({
    ...{ uri, about, env: {}, lastingPlace: (place: string) => place, stop: async () => {} },
    storage: storageConfigFromEnv({ ...process.env, STOKER_STORE: uri }),
  })
  if (given !== undefined) return idle(given, given)
  if ((await findS3Server()) === undefined) {
    const uri = pathToFileURL(resolve(stateDir, 'store')).href
    return idle(uri, `${uri} (no S3 server here, so a folder; \`stoker doctor\` says how to get one)`)
  }
  const server = await startS3({ dir: resolve(join(stateDir, 's3')), accessKeyId: 'stoker-demo' })
  await server.bucket(BUCKET)
  const uri = `s3://${BUCKET}`
  const { url, region, accessKeyId, secretAccessKey } = server
  const s3 = { endpoint: url, region, forcePathStyle: true, credentials: { accessKeyId, secretAccessKey } }
  return {
    ...{ uri, about: `${uri} at ${url}`, env: s3Environment(server), storage: { fileRoots: [], s3 } },
    lastingPlace: (place) => place.replace(/^s3:\//, server.objectsDir),
    stop: () => server.stop(),
  }
}

export const s3Environment = (server: RunningS3): Record<string, string> => ({
  STOKER_S3_ENDPOINT: server.url,
  STOKER_S3_REGION: server.region,
  STOKER_S3_PATH_STYLE: 'true',
  AWS_ACCESS_KEY_ID: server.accessKeyId,
  AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
})
