import { range } from './range.js'
import { tfrecord } from './tfrecord.js'

/** Every source: one file here, one line in this table, and its reader in `libs/formats`. */
export const SOURCES = { tfrecord, range } as const

export type SourceName = keyof typeof SOURCES
export { rangeCount } from './range.js'
export { COMPRESSIONS } from './files.js'
