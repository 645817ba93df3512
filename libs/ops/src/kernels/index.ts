import type { KernelOf, RecordOpName } from '../kernel.js'
import { decodeWav, frames, melSpectrogram, mfcc, spectrogram } from './audio.js'
import { cast } from './cast.js'
import { drop, rename, select } from './columns.js'
import { decodeBase64, decodeRaw, stringToNumber } from './decode-bytes.js'
import { decodeBmp, decodeGif, decodeImage, decodeJpeg, decodePng, decodeWebp } from './decode-images.js'
import { clipByValue, log1p } from './elementwise.js'
import {
  adjustBrightness,
  adjustContrast,
  adjustGamma,
  adjustHue,
  adjustSaturation,
  convertImageDtype,
  grayscaleToRgb,
  hsvToRgb,
  normalize,
  perImageStandardization,
  rgbToGrayscale,
  rgbToHsv,
} from './image-colour.js'
import {
  centralCrop,
  crop,
  flipLeftRight,
  flipUpDown,
  pad,
  resizeWithCropOrPad,
  resizeWithPad,
  rot90,
  transpose,
} from './image-geometry.js'
import { concat, stack } from './join.js'
import { padTo, truncate } from './lists.js'
import { oneHot } from './one-hot.js'
import { parseExample, parseSequenceExample, parseTensor } from './parse-example.js'
import { randomBrightness, randomContrast, randomCutout, randomHue, randomSaturation } from './random-colour.js'
import {
  randomCrop,
  randomFlipLeftRight,
  randomFlipUpDown,
  randomResizedCrop,
  randomRotation90,
} from './random-geometry.js'
import { resize } from './resize.js'
import { scale } from './scale.js'
import { expandDims, reshape, squeeze } from './shapes.js'
import { lookup, lower, normalizeUnicode, regexReplace, stringLength, strip, substr, textSplit, upper } from './text.js'

/** Every record op: its kernel and one line here; an op without its kernel does not compile. */
export const KERNELS = {
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
} satisfies { readonly [Name in RecordOpName]: KernelOf<Name> }
