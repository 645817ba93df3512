import { defineError } from '@stoker/spec'

/** The bytes are an image of a known kind, but damaged. */
export const ImageCorrupt = defineError('STK_IMAGE_CORRUPT', 'the %s image is damaged: %s', {
  status: 422,
  remedy: 'repair or drop the record',
})
/** The bytes are no image that the op decodes. */
export const ImageUnknown = defineError('STK_IMAGE_UNKNOWN', 'the bytes are no JPEG, PNG, GIF, BMP or WebP image: %s', {
  status: 422,
  remedy: 'check the name of the field and what the shard holds',
})
/** An image of a kind that another op decodes. */
export const ImageOtherKind = defineError(
  'STK_IMAGE_OTHER_KIND',
  'op %s does not take what the bytes are, a %s image',
  {
    status: 422,
    remedy: 'decode with decodeImage, which takes every kind; BMP goes to decodeBmp or decodeImage only',
  },
)
/** A sound image of a kind that cannot be decoded as asked. */
export const ImageUnsupported = defineError('STK_IMAGE_UNSUPPORTED', 'the %s image cannot be decoded: %s', {
  status: 422,
  remedy: 'ask for other channels, or store the image in another form',
})
/** Told from the header, before memory for the pixels is asked for. */
export const ImageTooLarge = defineError(
  'STK_IMAGE_TOO_LARGE',
  'the %s image has %d x %d pixels, more than the limit of %d',
  { status: 422, remedy: 'store a smaller image, or raise the limit on image pixels' },
)
export const KernelField = defineError('STK_OPS_FIELD', 'op %s needs the field "%s" as %s, but the record has %s')
/** A native decoder is missing on this machine. */
export const DecoderMissing = defineError('STK_OPS_DECODER_MISSING', 'the package %s cannot be loaded: %s', {
  remedy: 'install the dependencies again on this machine (npm ci): they hold prebuilt code for one platform',
})
export const UnbatchRows = defineError(
  'STK_OPS_UNBATCH_ROWS',
  'unbatch: field "%s" has %d rows in this record and field "%s" has %d',
  { status: 422, remedy: 'bring the fields to one length, or drop one before unbatch' },
)
export const FilterValue = defineError('STK_OPS_FILTER_VALUE', 'filter cannot compare %s with %s', {
  status: 422,
  remedy: 'compare text with text and numbers with numbers; write int64 beyond 2^53 as a decimal string',
})
export const CropOutside = defineError(
  'STK_OPS_CROP',
  'a crop of %d x %d pixels (height x width) at [%d, %d] does not lie in an image of %d x %d',
  { status: 422, remedy: 'resize before the crop, use resizeWithCropOrPad, or crop less' },
)
export const PadTooWide = defineError(
  'STK_OPS_PAD_WIDE',
  'pad with mode %s cannot add %d elements along dimension %d, which has %d',
  { status: 422, remedy: 'pad less, or with mode constant' },
)
export const NormalizeChannels = defineError(
  'STK_OPS_NORMALIZE_CHANNELS',
  'normalize has %s for %d channels and the image has %d',
  { status: 422, remedy: 'give one number, or one for each channel; decode with channels: 3' },
)
/** Shapes that only the record at hand shows do not fit. */
export const RecordShape = defineError('STK_OPS_SHAPE', 'op %s: %s', {
  status: 422,
  remedy: 'bring the records to one shape before this op, or drop the record',
})
export const WavCorrupt = defineError('STK_WAV_CORRUPT', 'the WAV data is damaged: %s', {
  status: 422,
  remedy: 'repair or drop the record',
})
/** Sound WAV data of a kind that is not read. */
export const WavUnsupported = defineError('STK_WAV_UNSUPPORTED', 'the WAV data cannot be decoded: %s', {
  status: 422,
  remedy: 'store it as PCM with 16 bits, for instance with ffmpeg -c:a pcm_s16le',
})
export const BytesUndecodable = defineError('STK_OPS_BYTES', 'op %s: %s', {
  status: 422,
  remedy: 'check what the field holds; drop the record if it is damaged',
})
/** Whole numbers that the narrower type cannot hold. */
export const CastRange = defineError('STK_OPS_CAST_RANGE', 'cast of "%s": %s is out of the range of %s', {
  status: 422,
  remedy: "keep int64, or set overflow: 'wrap' to take the low bits as tf.cast does",
})
/** A stage names an op that this process does not have: its worker was started without the op's module. */
export const OpMissing = defineError('STK_OPS_MISSING', 'op %s has no kernel here', {
  retryable: true,
  remedy: 'name the module of the op in STOKER_OPS of every worker, and start them anew',
})
export const UserOpsModule = defineError('STK_USER_OPS_MODULE', 'cannot load ops from %s: %s', {
  remedy: 'correct the path in STOKER_OPS, or the module: an ES module that exports what defineOp returns',
})
export const UserOpInvalid = defineError('STK_USER_OP_INVALID', 'op %s is not well defined: %s', {
  remedy: 'correct what its module gives to defineOp',
})
export const UserOpFailed = defineError('STK_USER_OP_FAILED', 'op %s failed: %s', {
  status: 422,
  remedy: "correct the op's run function, or the record",
})
export const UserOpResult = defineError('STK_USER_OP_RESULT', 'op %s returned %s', {
  status: 422,
  remedy: "let the op's run return what its infer says",
})
export const UserOpTimeout = defineError('STK_USER_OP_TIMEOUT', 'op %s did not return within %d ms', {
  status: 422,
  remedy: 'make the op faster for this record, or raise STOKER_OP_TIMEOUT_MS of the workers',
})
