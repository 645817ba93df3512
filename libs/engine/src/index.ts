export {
  type Checkpoint,
  latestCheckpoint,
  listCheckpoints,
  type NewCheckpoint,
  pruneCheckpoints,
  readCheckpoint,
  writeCheckpoint,
} from './checkpoint/checkpoints.js'
export { type Manifest, ManifestSchema } from './checkpoint/manifest.js'
export * from './error-table.js'
export { type ExportOptions, exportModel } from './export/export-model.js'
export { type InstallOptions, installEngine, removeEngine } from './install/install-engine.js'
export { inspectEngine } from './load/inspect-engine.js'
export { type LoadOptions, loadEngine } from './load/load-engine.js'
export { addMetrics, type MetricSum, type MetricSums, metricValue, metricValues } from './objective/metric-sums.js'
export type * from './types.js'
