export * from './batch-maker.js'
export * from './error-table.js'
export * from './inspect/index.js'
export { countRecords } from './shard-indexes.js'
