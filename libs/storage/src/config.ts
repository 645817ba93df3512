import { delimiter, isAbsolute } from 'node:path'
import { BadSetting } from './error-table.js'

export interface S3Config {
  /** Address of an S3-compatible server; AWS itself when left out. */
  readonly endpoint?: string
  readonly region?: string
  /** `endpoint/bucket/key` instead of `bucket.endpoint/key`; on by default where an endpoint is given. */
  readonly forcePathStyle?: boolean
  /** The AWS credential chain when left out. */
  readonly credentials?: {
    readonly accessKeyId: string
    readonly secretAccessKey: string
    readonly sessionToken?: string
  }
}

export interface StorageConfig {
  /** Absolute folders that `file:` may read and write; relative `file:` URIs start at the first. */
  readonly fileRoots: readonly string[]
  readonly s3?: S3Config
}

/**
 * Reads STOKER_FILE_ROOTS, STOKER_STORE, STOKER_S3_ENDPOINT, STOKER_S3_REGION and STOKER_S3_PATH_STYLE. Credentials are
 * no part of it: the AWS chain finds them. A store that is a folder may be read and written as well.
 *
 * @throws BadSetting with the name, the value and what is allowed
 */
export function storageConfigFromEnv(env: Readonly<Record<string, string | undefined>>): StorageConfig {
  const roots = (env.STOKER_FILE_ROOTS ?? '').split(delimiter).filter((root) => root !== '')
  for (const root of roots) {
    if (!isAbsolute(root))
      throw BadSetting('STOKER_FILE_ROOTS', env.STOKER_FILE_ROOTS ?? '', 'absolute folders separated by ":"')
  }
  const store = storeFolder(env.STOKER_STORE)
  const endpoint = env.STOKER_S3_ENDPOINT
  if (endpoint && !(URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol))) {
    throw BadSetting('STOKER_S3_ENDPOINT', endpoint, 'an http: or https: address')
  }
  const forcePathStyle = booleanOf('STOKER_S3_PATH_STYLE', env.STOKER_S3_PATH_STYLE)
  const region = env.STOKER_S3_REGION
  return {
    // Last, so that relative URIs never start there.
    fileRoots: store && !roots.includes(store) ? [...roots, store] : roots,
    s3: {
      ...(endpoint ? { endpoint } : {}),
      ...(region ? { region } : {}),
      ...(forcePathStyle === undefined ? {} : { forcePathStyle }),
    },
  }
}

function storeFolder(uri: string | undefined): string | undefined {
  if (!uri?.startsWith('file:')) return undefined
  const path = uri.replace(/^file:(\/\/)?/, '').replace(/(?<=.)\/+$/, '')
  if (!isAbsolute(path)) throw BadSetting('STOKER_STORE', uri, 'file:///absolute/folder or s3://bucket/prefix')
  return path
}

function booleanOf(name: string, value: string | undefined): boolean | undefined {
  if (value === undefined || value === '') return undefined
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw BadSetting(name, value, 'true or false')
}
