import { csv } from './csv.js'
import { images } from './images.js'
import { jsonLines } from './json-lines.js'
import { parquet } from './parquet.js'
import { range } from './range.js'
import { tensors } from './tensors.js'
import { textLines } from './text-lines.js'
import { tfrecord } from './tfrecord.js'
import { webdataset } from './webdataset.js'

/** Every source: one file here, one line in this table, and its reader in `libs/formats`. */
export const SOURCES = { tfrecord, textLines, csv, jsonLines, webdataset, images, parquet, tensors, range } as const

export type SourceName = keyof typeof SOURCES
export { COMPRESSIONS } from './files.js'
export { rangeCount } from './range.js'
