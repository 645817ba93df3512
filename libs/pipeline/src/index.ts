export * from './batch-maker.js'
export * from './error-table.js'
export { countRecords } from './shard-indexes.js'
