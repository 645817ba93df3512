export type { CsvSource } from './csv.js'
export * from './error-table.js'
export { encodeExample, type FeatureValue } from './example/encode.js'
export { createExampleParser, type ExampleParser, parseExample } from './example/parse.js'
export { createSequenceExampleParser } from './example/sequence.js'
export { FORMATS } from './formats.js'
export { CHUNK_FILES, type ImagesSource } from './images.js'
export type { JsonLinesSource } from './json-lines.js'
export { parseNumber } from './numbers/parse-number.js'
export {
  createPageCache,
  PAGE_BYTES,
  type PageCache,
  type PageCacheStats,
  type PinnedObject,
  type Range,
} from './page-cache.js'
export type { ParquetSource } from './parquet.js'
export { pinFiles } from './pin-files.js'
export { RANGE_PIN, type RangeSource } from './range.js'
export { ARRAYS } from './tensor.js'
export { parseTensorProto } from './tensor-proto.js'
export type { TensorsSource } from './tensors.js'
export type { TextLinesSource } from './text-lines.js'
export { startsFrame } from './tfrecord/sniff.js'
export { writeTfrecord } from './tfrecord/write.js'
export type { TfrecordSource } from './tfrecord.js'
export * from './types.js'
export { withVocabularies } from './vocabulary-files.js'
export type { WebdatasetSource } from './webdataset.js'
