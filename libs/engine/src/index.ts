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
export type * from './types.js'
