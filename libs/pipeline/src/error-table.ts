import { defineError } from '@stoker/spec'

export const ShapeDiffers = defineError(
  'STK_BATCH_SHAPE',
  'field "%s" is %s in this record but %s in the first record of the batch',
  { status: 422, remedy: 'bring all records to one shape, for instance with resize' },
)
export const TypeDiffers = defineError('STK_BATCH_DTYPE', 'field "%s" came out as %s, the plan says %s', {
  status: 500,
})
export const PaddingExceeded = defineError(
  'STK_BATCH_PADDING',
  'field "%s" has length %d along dimension %d, more than the %d that paddedBatch pads to',
  { status: 422, remedy: 'pad to a larger shape, to null for the longest of the batch, or truncate the field before' },
)
export const NoStandIn = defineError(
  'STK_BATCH_NO_STAND_IN',
  'row %d is bad, and so are all %d records that could stand in for it',
  { status: 422, remedy: 'look at the data with `stoker cat`; onBadRecord: skip trains without such records' },
)
/** A user names files without saying what they are. */
export const SourceUnclear = defineError('STK_INSPECT_SOURCE', 'cannot tell what %s holds: %s', {
  status: 400,
  remedy: 'name the kind of source: tfrecord, textLines, csv, jsonLines, webdataset, parquet or images',
})
