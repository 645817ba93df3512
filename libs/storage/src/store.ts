import type { StorageConfig } from './config.js'
import { FileStore } from './file/file-store.js'
import type { ObjectStore } from './object-store.js'
import { schemeOf } from './uri.js'

/** A store for `file:` and `s3:` URIs. The S3 client is loaded and made at the first s3: URI. */
export function createStore(config: StorageConfig): ObjectStore {
  const file = new FileStore(config.fileRoots)
  let s3: Promise<ObjectStore> | undefined
  const of = (uri: string): Promise<ObjectStore> => {
    if (schemeOf(uri) === 'file') return Promise.resolve(file)
    s3 ??= import('./s3/s3-store.js').then(({ S3Store }) => new S3Store(config.s3 ?? {}))
    return s3
  }
  return {
    list: async (pattern, options) => (await of(pattern)).list(pattern, options),
    stat: async (uri, options) => (await of(uri)).stat(uri, options),
    read: async (uri, range, options) => (await of(uri)).read(uri, range, options),
    readAll: async (uri, options) => (await of(uri)).readAll(uri, options),
    stream: async function* (uri, options) {
      yield* (await of(uri)).stream(uri, options)
    },
    write: async (uri, body, options) => (await of(uri)).write(uri, body, options),
    remove: async (uri) => (await of(uri)).remove(uri),
    walk: async (prefix, options) => (await of(prefix)).walk(prefix, options),
    close: async () => (await s3)?.close(),
  }
}
