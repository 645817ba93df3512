import { defineError } from './errors.js'

/** The document does not match the schema. */
export const SpecInvalid = defineError('STK_SPEC_INVALID', '%s: %s', { status: 400 })
export const UnknownOp = defineError('STK_SPEC_UNKNOWN_OP', 'there is no op "%s"', { status: 400 })
export const UnknownSource = defineError('STK_SPEC_UNKNOWN_SOURCE', 'there is no source "%s"', { status: 400 })
export const MissingField = defineError(
  'STK_SPEC_MISSING_FIELD',
  'op %s needs the field "%s"; at this point there are: %s',
  {
    status: 400,
    remedy: 'correct the name, or put the op that makes the field before this one',
  },
)
export const WrongFieldType = defineError('STK_SPEC_FIELD_TYPE', 'op %s needs %s as %s, but it is %s here', {
  status: 400,
})
export const WrongStageOrder = defineError('STK_SPEC_STAGE_ORDER', '%s', { status: 400 })
export const BytesOnTheWire = defineError(
  'STK_SPEC_BYTES_ON_WIRE',
  'field "%s" is still a byte string at the end of the chain',
  {
    status: 400,
    remedy: 'decode it, or leave it out: of the source, of parseExample, or with drop',
  },
)
export const NeverEnds = defineError('STK_SPEC_NEVER_ENDS', 'repeat without a count never ends', {
  status: 400,
  remedy: 'give repeat a count, cut it with take, or put it after batch and set epochs',
})
export const BadSize = defineError('STK_SPEC_BAD_SIZE', '%s is no size in bytes', {
  status: 400,
  remedy: 'write a whole number of bytes, or a number with KiB, MiB or GiB, such as "256MiB"',
})
export const RangeTooLong = defineError('STK_SPEC_RANGE_TOO_LONG', 'the range holds more than 2^52 numbers', {
  status: 400,
  remedy: 'shorten it, or make its step larger',
})
export const TooManyRepeats = defineError(
  'STK_SPEC_TOO_MANY_REPEATS',
  'repeats and epochs together make %d passes, the most are %d',
  {
    status: 400,
    remedy: 'lower a count',
  },
)
export const FilterWithoutTest = defineError(
  'STK_SPEC_FILTER_WITHOUT_TEST',
  'filter has no test, so it would keep all',
  {
    status: 400,
    remedy: 'give it one, for instance {"op": "filter", "field": "label", "lessThan": 10}',
  },
)
export const UnbatchWithoutRows = defineError(
  'STK_SPEC_UNBATCH_SCALAR',
  'unbatch splits along the first dimension, and field "%s" has none',
  { status: 400, remedy: 'drop the field before unbatch, or repeat its value along a first dimension' },
)
export const ShardOutside = defineError('STK_SPEC_SHARD_INDEX', 'there is no shard %d of %d', {
  status: 400,
  remedy: 'count index from 0 to numShards - 1',
})
export const PaddedShape = defineError('STK_SPEC_PADDED_SHAPE', 'field "%s" is %s and cannot be padded to %s', {
  status: 400,
  remedy: 'give as many dimensions as the field has, each at least as large; null pads to the longest of the batch',
})
export const InputsDiffer = defineError('STK_SPEC_INPUTS_DIFFER', '%s needs inputs of the same fields: %s', {
  status: 400,
  remedy: 'bring the inputs to the same names, types and ranks, for instance with cast, rename or drop',
})
export const InputsClash = defineError('STK_SPEC_INPUTS_CLASH', 'zip has two inputs with a field "%s"', {
  status: 400,
  remedy: 'rename or drop the field in one of them',
})
export const SampleWeights = defineError('STK_SPEC_SAMPLE_WEIGHTS', 'sampleFrom has %s', {
  status: 400,
  remedy: 'give one weight of at least 0 for each input, and not only zeros',
})
export const WrongShape = defineError('STK_SPEC_SHAPE', 'op %s: %s', {
  status: 400,
  remedy: 'correct the parameters, or the shape of the field before this op',
})
export const FieldTaken = defineError('STK_SPEC_FIELD_TAKEN', 'op %s would make two fields named "%s"', {
  status: 400,
  remedy: 'drop or rename the other one first',
})
export const CropOutside = defineError(
  'STK_SPEC_CROP',
  'crop: %d and %d more pixels do not lie in a side of %d pixels',
  { status: 400, remedy: 'crop less, or resize before' },
)
export const NormalizeChannels = defineError(
  'STK_SPEC_NORMALIZE_CHANNELS',
  'normalize has %s for %d channels and the image has %d',
  { status: 400, remedy: 'give one number, or one for each channel' },
)
/** A value written in a spec does not fit the type or shape that it stands for. */
export const BadLiteral = defineError('STK_SPEC_LITERAL', '%s is no %s: %s', { status: 400 })
export const DuplicateColumn = defineError('STK_SPEC_COLUMN_TWICE', 'there are two columns named "%s"', {
  status: 400,
  remedy: 'give each column a name of its own',
})
export const UnknownColumn = defineError('STK_SPEC_COLUMN_UNKNOWN', 'selectCols names "%s", the columns are: %s', {
  status: 400,
  remedy: 'correct the name',
})
export const SequenceMayMiss = defineError(
  'STK_SPEC_ALLOW_MISSING',
  'feature "%s": parseExample takes a fixedLenSequence only with allowMissing',
  { status: 400, remedy: 'leave allowMissing out, or parse with parseSequenceExample' },
)
export const OpNameWrong = defineError('STK_SPEC_OP_NAME', 'an op of your own cannot be named "%s"', {
  status: 400,
  remedy: 'put a prefix and a dot before it, with letters and digits only, such as "acme.blur"',
})
export const OpNameTaken = defineError('STK_SPEC_OP_TAKEN', 'there are two different ops named "%s"', {
  status: 400,
  remedy: 'rename one of them, or load only one of their modules',
})
/** Whoever submits, checks or runs a spec must mean the same op by the same name. */
export const OpVersionDiffers = defineError(
  'STK_SPEC_OP_VERSION',
  'op %s has version %s here, and the chain was made with version %s',
  {
    status: 409,
    retryable: true,
    remedy: 'give api and workers the same module in STOKER_OPS, or submit the job again',
  },
)

export const WebdatasetField = defineError('STK_SPEC_WEBDATASET_FIELD', 'field "%s": %s', { status: 400 })
export const TensorValues = defineError('STK_SPEC_TENSOR', 'tensor "%s": %s', { status: 400 })
export const TensorsLarge = defineError('STK_SPEC_TENSORS_LARGE', 'the tensors of a spec take more than %d bytes', {
  status: 400,
  remedy: 'write them into files: jsonLines, csv, parquet or tfrecord',
})
export const ImageClasses = defineError('STK_SPEC_IMAGE_CLASSES', "classNames are given, but labels are 'none'", {
  status: 400,
  remedy: "leave out labels: 'none', or classNames",
})
export const NoFields = defineError('STK_SPEC_NO_FIELDS', 'the records have no fields', {
  status: 400,
  remedy: 'name the fields that the source shall read',
})
