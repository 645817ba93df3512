import { defineError } from '@stoker/spec'

const damaged = 'write the shard anew, or take it out of the list of files'

/** The masked CRC32C of a record's length field is wrong: from here on no record can be found. */
export const LengthCorrupt = defineError('STK_TFRECORD_LENGTH_CRC', 'shard %s, record %d at byte %d: %s', {
  status: 422,
  remedy: damaged,
})
/** The payload of one record does not match its checksum; its neighbours can still be read. */
export const RecordCorrupt = defineError(
  'STK_TFRECORD_DATA_CRC',
  'shard %s, record %d at byte %d: the payload of %d bytes does not match its checksum',
  { status: 422, remedy: damaged },
)
export const ShardTruncated = defineError(
  'STK_TFRECORD_TRUNCATED',
  'shard %s, record %d at byte %d: the shard ends after %d bytes, the record would end at byte %s',
  { status: 422, remedy: `the shard was not written to its end: ${damaged}` },
)
export const RecordTooLong = defineError(
  'STK_RECORD_TOO_LONG',
  'shard %s, record %d at byte %d: its length of %s bytes is more than the limit of %d',
  { status: 422, remedy: 'split the record, or raise the limit on record bytes' },
)
/** The `compression` setting and the first bytes of the shard disagree. */
export const CompressionMismatch = defineError('STK_COMPRESSION_SETTING', 'shard %s: %s', { status: 422 })
export const InflateCorrupt = defineError(
  'STK_INFLATE_CORRUPT',
  'shard %s, record %d at inflated byte %d: the %s stream is damaged: %s',
  { status: 422, remedy: damaged },
)
export const InflateTruncated = defineError(
  'STK_INFLATE_TRUNCATED',
  'shard %s, record %d at inflated byte %d: the %s stream ends before its end marker',
  { status: 422, remedy: `the shard was not written to its end: ${damaged}` },
)
export const InflateLimit = defineError(
  'STK_INFLATE_LIMIT',
  'shard %s: %d compressed bytes inflate to more than %d bytes, %s',
  { status: 422, remedy: 'if the shard is sound, raise the limit or store it uncompressed' },
)

export const ExampleMalformed = defineError(
  'STK_EXAMPLE_MALFORMED',
  'the record is not a tf.train.Example: byte %d of the record: %s',
  { status: 422, remedy: 'check that the shard holds tf.train.Example messages' },
)
export const FeatureMissing = defineError(
  'STK_EXAMPLE_MISSING',
  'feature "%s" (%s) is required but the record does not have it; it has: %s',
  { status: 422, remedy: 'correct the name, or give the feature a default' },
)
export const FeatureType = defineError('STK_EXAMPLE_TYPE', 'feature "%s" is asked as %s but the record holds %s', {
  status: 422,
  remedy: 'ask for the type that the record holds and cast it afterwards',
})
export const FeatureCount = defineError('STK_EXAMPLE_COUNT', 'feature "%s" has %d values, its shape [%s] needs %d', {
  status: 422,
  remedy: 'correct the shape',
})
export const FeatureStride = defineError(
  'STK_EXAMPLE_STRIDE',
  'feature "%s" has %d values, which is no multiple of the %d of one item of shape [%s]',
  { status: 422, remedy: 'correct the shape' },
)
export const SequenceStep = defineError(
  'STK_EXAMPLE_STEP',
  'feature list "%s", step %d: %d values, its shape [%s] needs %d',
  { status: 422, remedy: 'correct the shape, or ask for a varLen' },
)
export const TensorMalformed = defineError('STK_TENSOR_MALFORMED', 'the bytes are no TensorProto as asked: %s', {
  status: 422,
  remedy: 'check what the field holds, and the type and shape asked for',
})
/** The plan asks for a record that the index does not have: index and plan speak of different shards. */
export const NoSuchRecord = defineError('STK_RECORD_UNKNOWN', 'shard %s has no record %d, its index counts %d')

const tableRemedy = 'correct the file, or the declared columns'

/** The names of the columns cannot be read, so no row can. */
export const CsvHeader = defineError('STK_CSV_HEADER', 'table %s: its header cannot be read: %s', {
  status: 422,
  remedy: 'correct the file, or set header: false if its first row holds values',
})
export const CsvColumnMissing = defineError('STK_CSV_COLUMN', 'table %s %s; its header names: %s', {
  status: 422,
  remedy: 'correct the names of the columns, or set header: false if the first row holds values',
})
export const CsvWidth = defineError('STK_CSV_WIDTH', 'table %s, row %d: it has %d cells where there are %d columns', {
  status: 422,
  remedy: tableRemedy,
})
export const CsvQuotes = defineError('STK_CSV_QUOTES', 'table %s, row %d, cell %d: %s', {
  status: 422,
  remedy: 'correct the file, or set useQuoteDelim: false if quotes mean nothing in it',
})
export const CsvEmpty = defineError('STK_CSV_EMPTY', 'table %s, row %d: the column "%s" is empty and has no default', {
  status: 422,
  remedy: 'give the column a default',
})
export const CsvCell = defineError('STK_CSV_CELL', 'table %s, row %d, column "%s": %s is no %s', {
  status: 422,
  remedy: `${tableRemedy}; a mark for missing values can be set as naValue`,
})

export const JsonMalformed = defineError('STK_JSON_MALFORMED', 'the line is no JSON object: %s', {
  status: 422,
  remedy: 'write one JSON object a line',
})
export const JsonMissing = defineError(
  'STK_JSON_MISSING',
  'feature "%s" is required but the line has none; it has: %s',
  {
    status: 422,
    remedy: 'correct the path, or give the feature a default',
  },
)
export const JsonValue = defineError('STK_JSON_VALUE', 'feature "%s": %s is no %s', {
  status: 422,
  remedy: 'correct the data, or declare the type that it has',
})
export const JsonShape = defineError('STK_JSON_SHAPE', 'feature "%s": %s, its shape is [%s]', {
  status: 422,
  remedy: 'correct the shape; null as first dimension takes any length',
})

/** From here on no file can be found, and the sample before it may go on here. */
export const TarHeaderBad = defineError(
  'STK_TAR_HEADER',
  'shard %s, sample %d: no readable tar header at byte %d: %s',
  {
    status: 422,
    remedy: damaged,
  },
)
export const TarTruncated = defineError(
  'STK_TAR_TRUNCATED',
  'shard %s, sample %d at byte %d: the shard ends after %d bytes, the sample would end at byte %s',
  { status: 422, remedy: `the shard was not written to its end: ${damaged}` },
)
export const SampleDuplicate = defineError('STK_WEBDATASET_TWICE', 'sample "%s" has two files with the extension %s', {
  status: 422,
  remedy: 'write the shard anew with one file an extension; case does not tell them apart',
})
export const SampleMissing = defineError('STK_WEBDATASET_MISSING', 'sample "%s" has no file %s; it has: %s', {
  status: 422,
  remedy:
    'name the extensions that it has, give the field a default, or write the files of a sample next to each other',
})
export const SampleNumber = defineError('STK_WEBDATASET_NUMBER', 'sample "%s", file %s: %s is no %s', {
  status: 422,
  remedy: 'correct the data, or read the file as string',
})
export const SampleJson = defineError('STK_WEBDATASET_JSON', 'sample "%s", file %s is no JSON: %s', { status: 422 })
export const VocabularyRefused = defineError('STK_VOCABULARY', 'the vocabulary %s %s', {
  status: 400,
  remedy: 'give a UTF-8 text file with one word a line, each word once; or hashBuckets instead of a vocabulary',
})

export const NoImages = defineError('STK_IMAGES_NONE', 'no images below %s: %s', {
  status: 404,
  remedy: 'name the folder or key prefix that holds the folders of the classes',
})
export const ImageClassesUnknown = defineError(
  'STK_IMAGES_CLASSES',
  'there are no images of the classes %s below %s, but folders that are no class: %s',
  { status: 422, remedy: 'correct classNames, or the names of the folders' },
)
/** Scratch was cleaned or written to while a job still needed it. */
export const ManifestLost = defineError('STK_MANIFEST_LOST', 'the listing %s is gone or damaged', {
  status: 409,
  remedy: 'submit the job again, so that the folder is listed anew',
})

export const ParquetBroken = defineError('STK_PARQUET_BROKEN', '%s cannot be read as Parquet: %s', {
  status: 422,
  remedy: damaged,
})
export const ParquetColumnMissing = defineError('STK_PARQUET_COLUMN', '%s has no column "%s"; it has: %s', {
  status: 422,
  remedy: 'correct the name of the column',
})
export const ParquetType = defineError('STK_PARQUET_TYPE', '%s: column "%s" is %s and asked as %s', { status: 422 })
export const ParquetGroupLarge = defineError(
  'STK_PARQUET_GROUP',
  '%s: the columns asked for of row group %d take %d bytes, the limit is %d',
  { status: 422, remedy: 'ask for fewer columns, or write the file with smaller row groups' },
)
export const ParquetNull = defineError('STK_PARQUET_NULL', '%s, row %d: "%s" is %s', {
  status: 422,
  remedy: 'give the column a default; inside of lists nulls have none',
})
export const ParquetValue = defineError('STK_PARQUET_VALUE', '%s, row %d: "%s" is %s, which is no %s', {
  status: 422,
  remedy: 'ask for a wider type',
})
export const ParquetShape = defineError('STK_PARQUET_SHAPE', '%s, row %d: "%s" has %d values, its shape is [%d]', {
  status: 422,
  remedy: 'correct the shape; [null] takes any length',
})
