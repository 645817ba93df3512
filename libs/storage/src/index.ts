export { type S3Config, type StorageConfig, storageConfigFromEnv } from './config.js'
export * from './error-table.js'
export { STATE_FOLDER } from './file/roots.js'
export { type Glob, hasGlob, parseGlob } from './glob.js'
export type { HttpConfig } from './http/http-config.js'
export {
  type Body,
  type ByteRange,
  type CallOptions,
  compareUtf8,
  type ObjectStat,
  type ObjectStore,
  type ReadOptions,
  type WriteOptions,
} from './object-store.js'
export type { Retry, RetryReason } from './retry.js'
export { createStore, type StoreOptions } from './store.js'
export { type BucketUri, fileUri, joinUri, parseBucketUri, type Scheme, schemeOf } from './uri.js'
