import { adjustBrightness } from './adjust-brightness.js'
import { adjustContrast } from './adjust-contrast.js'
import { adjustGamma } from './adjust-gamma.js'
import { adjustHue } from './adjust-hue.js'
import { adjustSaturation } from './adjust-saturation.js'
import { batch } from './batch.js'
import { cache } from './cache.js'
import { cast } from './cast.js'
import { centralCrop } from './central-crop.js'
import { clipByValue } from './clip-by-value.js'
import { concat } from './concat.js'
import { convertImageDtype } from './convert-image-dtype.js'
import { crop } from './crop.js'
import { cutmix } from './cutmix.js'
import { decodeBase64 } from './decode-base64.js'
import { decodeBmp } from './decode-bmp.js'
import { decodeGif } from './decode-gif.js'
import { decodeImage } from './decode-image.js'
import { decodeJpeg } from './decode-jpeg.js'
import { decodePng } from './decode-png.js'
import { decodeRaw } from './decode-raw.js'
import { decodeWav } from './decode-wav.js'
import { decodeWebp } from './decode-webp.js'
import { drop } from './drop.js'
import { expandDims } from './expand-dims.js'
import { filter } from './filter.js'
import { flipLeftRight } from './flip-left-right.js'
import { flipUpDown } from './flip-up-down.js'
import { frames } from './frames.js'
import { grayscaleToRgb } from './grayscale-to-rgb.js'
import { hsvToRgb } from './hsv-to-rgb.js'
import { interleave } from './interleave.js'
import { log1p } from './log1p.js'
import { lookup } from './lookup.js'
import { melSpectrogram } from './mel-spectrogram.js'
import { mfcc } from './mfcc.js'
import { mixup } from './mixup.js'
import { normalize } from './normalize.js'
import { normalizeUnicode } from './normalize-unicode.js'
import { oneHot } from './one-hot.js'
import { pad } from './pad.js'
import { padTo, truncate } from './pad-to.js'
import { paddedBatch } from './padded-batch.js'
import { parseExample } from './parse-example.js'
import { parseSequenceExample } from './parse-sequence-example.js'
import { parseTensor } from './parse-tensor.js'
import { perImageStandardization } from './per-image-standardization.js'
import { prefetch } from './prefetch.js'
import { randomBrightness, randomContrast, randomHue, randomSaturation } from './random-adjust.js'
import { randomCrop } from './random-crop.js'
import { randomCutout } from './random-cutout.js'
import { randomFlipLeftRight, randomFlipUpDown } from './random-flip.js'
import { randomResizedCrop } from './random-resized-crop.js'
import { randomRotation90 } from './random-rotation90.js'
import { regexReplace } from './regex-replace.js'
import { rename } from './rename.js'
import { repeat } from './repeat.js'
import { reshape } from './reshape.js'
import { resize } from './resize.js'
import { resizeWithCropOrPad } from './resize-with-crop-or-pad.js'
import { resizeWithPad } from './resize-with-pad.js'
import { rgbToGrayscale } from './rgb-to-grayscale.js'
import { rgbToHsv } from './rgb-to-hsv.js'
import { rot90 } from './rot90.js'
import { scale } from './scale.js'
import { select } from './select.js'
import { shard } from './shard.js'
import { shuffle } from './shuffle.js'
import { skip } from './skip.js'
import { spectrogram } from './spectrogram.js'
import { squeeze } from './squeeze.js'
import { stack } from './stack.js'
import { stringToNumber } from './string-to-number.js'
import { strip } from './strip.js'
import { stringLength, substr } from './substr.js'
import { take } from './take.js'
import { lower, upper } from './text-case.js'
import { textSplit } from './text-split.js'
import { transpose } from './transpose.js'
import { unbatch } from './unbatch.js'

/** Every op: one file here, one line in this table, and for a `record` op its kernel in `libs/ops`. */
export const OPS = {
  parseExample,
  parseSequenceExample,
  parseTensor,
  decodeRaw,
  decodeBase64,
  stringToNumber,
  decodeJpeg,
  decodePng,
  decodeImage,
  decodeBmp,
  decodeGif,
  decodeWebp,
  resize,
  resizeWithPad,
  resizeWithCropOrPad,
  crop,
  centralCrop,
  pad,
  flipLeftRight,
  flipUpDown,
  rot90,
  transpose,
  rgbToGrayscale,
  grayscaleToRgb,
  rgbToHsv,
  hsvToRgb,
  adjustBrightness,
  adjustContrast,
  adjustGamma,
  adjustHue,
  adjustSaturation,
  convertImageDtype,
  perImageStandardization,
  normalize,
  cast,
  scale,
  select,
  rename,
  drop,
  reshape,
  expandDims,
  squeeze,
  concat,
  stack,
  oneHot,
  clipByValue,
  log1p,
  randomFlipLeftRight,
  randomFlipUpDown,
  randomRotation90,
  randomCrop,
  randomResizedCrop,
  randomBrightness,
  randomContrast,
  randomSaturation,
  randomHue,
  randomCutout,
  textSplit,
  lower,
  upper,
  strip,
  normalizeUnicode,
  regexReplace,
  substr,
  stringLength,
  lookup,
  padTo,
  truncate,
  decodeWav,
  frames,
  spectrogram,
  melSpectrogram,
  mfcc,
  filter,
  unbatch,
  interleave,
  shuffle,
  mixup,
  cutmix,
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
export { centralPart } from './central-crop.js'
export { IMAGE_DTYPES, type ImageDType } from './convert-image-dtype.js'
export { type PadParams, paddingsOf } from './pad.js'
export { rewriteParts } from './regex-replace.js'
export { RESIZE_METHODS, type ResizeMethod, ROUNDABLE_METHODS } from './resize.js'
