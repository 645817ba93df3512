import { delimiter, isAbsolute } from 'node:path'
import { allowedPrefixesOf } from './allowed-places.js'
import { BadSetting, withoutLogin } from './error-table.js'
import type { HttpConfig } from './http/http-config.js'
import { privateHostsOf } from './http/private-hosts.js'

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
  /** Prefixes of `s3:`, `gs:` and `https:` URIs that may be read and written; anything when left out. */
  readonly allowed?: readonly string[]
  readonly s3?: S3Config
  /** Google's S3-interoperable endpoint. Credentials are an HMAC key; the AWS chain has no part in it. */
  readonly gs?: Pick<S3Config, 'endpoint' | 'region' | 'credentials'>
  readonly http?: HttpConfig
}

/**
 * Reads STOKER_FILE_ROOTS, STOKER_SOURCES, STOKER_STORE, STOKER_S3_ENDPOINT, STOKER_S3_REGION, STOKER_S3_PATH_STYLE, STOKER_GS_ENDPOINT,
 * STOKER_GS_ACCESS_KEY_ID, STOKER_GS_SECRET_ACCESS_KEY and STOKER_HTTP_PRIVATE. Credentials of s3: are no part of it:
 * the AWS chain finds them. A store that is a folder may be read and written as well.
 *
 * @throws BadSetting with the name, the value and what is allowed
 */
export function storageConfigFromEnv(env: Env): StorageConfig {
  const roots = (env.STOKER_FILE_ROOTS ?? '').split(delimiter).filter((root) => root !== '')
  for (const root of roots) {
    if (!isAbsolute(root))
      throw BadSetting('STOKER_FILE_ROOTS', env.STOKER_FILE_ROOTS ?? '', 'absolute folders separated by ":"')
  }
  const store = storeFolder(env.STOKER_STORE)
  const allowed = allowedPrefixesOf(env.STOKER_SOURCES, env.STOKER_STORE)
  const endpoint = endpointOf(env, 'STOKER_S3_ENDPOINT')
  const forcePathStyle = booleanOf('STOKER_S3_PATH_STYLE', env.STOKER_S3_PATH_STYLE)
  const region = env.STOKER_S3_REGION
  return {
    // Last, so that relative URIs never start there.
    fileRoots: store && !roots.includes(store) ? [...roots, store] : roots,
    ...(allowed ? { allowed } : {}),
    s3: {
      ...(endpoint ? { endpoint } : {}),
      ...(region ? { region } : {}),
      ...(forcePathStyle === undefined ? {} : { forcePathStyle }),
    },
    ...gsConfig(env),
    ...(env.STOKER_HTTP_PRIVATE ? { http: { privateHosts: privateHostsOf(env.STOKER_HTTP_PRIVATE) } } : {}),
  }
}

type Env = Readonly<Record<string, string | undefined>>

function gsConfig(env: Env): Pick<StorageConfig, 'gs'> {
  const endpoint = endpointOf(env, 'STOKER_GS_ENDPOINT')
  const { STOKER_GS_ACCESS_KEY_ID: accessKeyId = '', STOKER_GS_SECRET_ACCESS_KEY: secretAccessKey = '' } = env
  if (accessKeyId !== '' && secretAccessKey === '')
    throw BadSetting('STOKER_GS_SECRET_ACCESS_KEY', '', 'the secret of the HMAC key in STOKER_GS_ACCESS_KEY_ID')
  const credentials = accessKeyId === '' ? {} : { credentials: { accessKeyId, secretAccessKey } }
  return endpoint || accessKeyId ? { gs: { ...(endpoint ? { endpoint } : {}), ...credentials } } : {}
}

function endpointOf(env: Env, name: string): string | undefined {
  const endpoint = env[name]
  if (endpoint && !isServer(endpoint)) {
    throw BadSetting(name, withoutLogin(endpoint), 'an http: or https: address without user and password')
  }
  return endpoint
}

function isServer(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

function storeFolder(uri: string | undefined): string | undefined {
  if (!uri?.startsWith('file:')) return undefined
  const path = uri.replace(/^file:(\/\/)?/, '').replace(/(?<=.)\/+$/, '')
  if (!isAbsolute(path))
    throw BadSetting('STOKER_STORE', uri, 'file:///absolute/folder, s3://bucket/prefix or gs://bucket/prefix')
  return path
}

function booleanOf(name: string, value: string | undefined): boolean | undefined {
  if (value === undefined || value === '') return undefined
  if (value === 'true' || value === '1') return true
  if (value === 'false' || value === '0') return false
  throw BadSetting(name, value, 'true or false')
}
