export { type S3Config, type StorageConfig, storageConfigFromEnv } from './config.js'
export * from './error-table.js'
export { STATE_FOLDER } from './file/roots.js'
export { type Glob, hasGlob, parseGlob } from './glob.js'
export type {
  Body,
  ByteRange,
  CallOptions,
  ObjectStat,
  ObjectStore,
  ReadOptions,
  WriteOptions,
} from './object-store.js'
export { createStore } from './store.js'
export { fileUri, joinUri, parseS3Uri, schemeOf } from './uri.js'
