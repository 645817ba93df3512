export * from './batch-maker.js'
export * from './error-table.js'
export { formatOf } from './shard-indexes.js'
