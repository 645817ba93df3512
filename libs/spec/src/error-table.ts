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
    remedy: 'decode it, or leave it out of parseExample',
  },
)
export const NeverEnds = defineError('STK_SPEC_NEVER_ENDS', 'repeat without a count never ends', {
  status: 400,
  remedy: 'give repeat a count, or put it after batch and set epochs',
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
