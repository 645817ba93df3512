import type { Source, SourceName } from '@stoker/spec'
import { csv } from './csv.js'
import { images } from './images.js'
import { jsonLines } from './json-lines.js'
import { parquet } from './parquet.js'
import { range } from './range.js'
import { tensors } from './tensors.js'
import { textLines } from './text-lines.js'
import { tfrecord } from './tfrecord.js'
import type { Format } from './types.js'
import { webdataset } from './webdataset.js'

/** Every format: one file and one line here; a source without its format does not compile. */
const TABLE = { tfrecord, textLines, csv, jsonLines, webdataset, images, parquet, tensors, range } satisfies {
  [Name in SourceName]: Format<Extract<Source, { type: Name }>>
}

// Each row is only ever called with the source that names it.
export const FORMATS = TABLE as unknown as Readonly<Record<SourceName, Format>>
