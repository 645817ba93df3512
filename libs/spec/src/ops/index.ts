import { batch } from './batch.js'
import { cache } from './cache.js'
import { cast } from './cast.js'
import { decodeJpeg } from './decode-jpeg.js'
import { decodePng } from './decode-png.js'
import { filter } from './filter.js'
import { interleave } from './interleave.js'
import { paddedBatch } from './padded-batch.js'
import { parseExample } from './parse-example.js'
import { prefetch } from './prefetch.js'
import { repeat } from './repeat.js'
import { resize } from './resize.js'
import { scale } from './scale.js'
import { shard } from './shard.js'
import { shuffle } from './shuffle.js'
import { skip } from './skip.js'
import { take } from './take.js'
import { unbatch } from './unbatch.js'

/** Every op: one file here, one line in this table, and for a `record` op its kernel in `libs/ops`. */
export const OPS = {
  parseExample,
  decodeJpeg,
  decodePng,
  resize,
  cast,
  scale,
  filter,
  unbatch,
  interleave,
  shuffle,
  batch,
  paddedBatch,
  repeat,
  take,
  skip,
  shard,
  cache,
  prefetch,
} as const

export type OpName = keyof typeof OPS
export { type FeatureSpec, fixedLen } from './parse-example.js'
export { rewriteParts } from './regex-replace.js'
