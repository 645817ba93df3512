import { type AllowedPlaces, createAllowedPlaces } from './allowed-places.js'
import type { StorageConfig } from './config.js'
import { NoCredentials } from './error-table.js'
import { FileStore } from './file/file-store.js'
import type { ObjectStore } from './object-store.js'
import type { Retry } from './retry.js'
import { type Scheme, schemeOf } from './uri.js'

export interface StoreOptions {
  /** Told of each wait before a request to a server is sent again. */
  readonly onRetry?: (retry: Retry & { readonly scheme: Scheme }) => void
}

const GOOGLE = 'https://storage.googleapis.com'

/** A store for `file:`, `s3:`, `gs:` and `https:` URIs. A client is loaded and made at the first URI that needs it. */
export function createStore(config: StorageConfig, { onRetry }: StoreOptions = {}): ObjectStore {
  const file = new FileStore(config.fileRoots)
  const allowed = createAllowedPlaces(config.allowed)
  const made = new Map<Scheme, Promise<ObjectStore>>()
  const of = (uri: string): Promise<ObjectStore> => {
    const scheme = schemeOf(uri)
    if (scheme === 'file') return Promise.resolve(file)
    if (scheme === 'gs' && !config.gs?.credentials) return Promise.reject(noGoogleKey(uri))
    const store =
      made.get(scheme) ?? open(scheme, config, allowed, onRetry && ((retry) => onRetry({ ...retry, scheme })))
    made.set(scheme, store)
    return store
  }
  /** For all that looks or changes something. */
  const at = async (uri: string): Promise<ObjectStore> => {
    allowed.check(uri)
    return of(uri)
  }
  return {
    list: async (pattern, options) => {
      allowed.checkPattern(pattern)
      const found = await (await of(pattern)).list(pattern, options)
      // An object may have the pattern's own text as its name.
      for (const { uri } of found) allowed.check(uri)
      return found
    },
    stat: async (uri, options) => (await at(uri)).stat(uri, options),
    read: async (uri, range, options) => (await at(uri)).read(uri, range, options),
    readAll: async (uri, options) => (await at(uri)).readAll(uri, options),
    stream: async function* (uri, options) {
      yield* (await at(uri)).stream(uri, options)
    },
    write: async (uri, body, options) => (await at(uri)).write(uri, body, options),
    remove: async (uri) => (await at(uri)).remove(uri),
    walk: async (prefix, options) => (await at(prefix)).walk(prefix, options),
    canonical: async (uri) => (await of(uri)).canonical(uri),
    close: async () => {
      await Promise.all([...made.values()].map(async (store) => (await store).close()))
    },
  }
}

async function open(
  scheme: Exclude<Scheme, 'file'>,
  config: StorageConfig,
  allowed: AllowedPlaces,
  onRetry: ((retry: Retry) => void) | undefined,
): Promise<ObjectStore> {
  if (scheme === 'http') {
    const { HttpStore } = await import('./http/http-store.js')
    return new HttpStore({ ...config.http, admit: allowed.check }, { onRetry })
  }
  const { S3Store } = await import('./s3/s3-store.js')
  if (scheme === 's3') return new S3Store(config.s3 ?? {}, { onRetry })
  return new S3Store({ endpoint: GOOGLE, ...config.gs, forcePathStyle: true }, { onRetry, dialect: 'gs' })
}

function noGoogleKey(uri: string) {
  return NoCredentials(uri, 'gs: is read with an HMAC key, and none is set').with({
    place: { shard: uri },
    remedy: 'set STOKER_GS_ACCESS_KEY_ID and STOKER_GS_SECRET_ACCESS_KEY where Stoker runs',
  })
}
