import { GREY, GREY_ALPHA, PALETTE, type PngFile, RGB, RGBA } from './read.js'
import type { Samples } from './samples.js'

/**
 * Stored samples to channels of 8 or 16 bits: 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA. The steps and their order are those of
 * libpng with TensorFlow's settings: palette to RGB, alpha, RGB to grey in the stored depth, low byte dropped, grey to RGB.
 * To 16 bits, 8 bit values are repeated in the high byte (times 257).
 */
export function convert(samples: Samples, png: PngFile, wanted: number, bits: 8 | 16): Samples {
  const { color, depth } = png
  const isAsStored = color !== PALETTE && STORED[color] === wanted
  if (isAsStored && depth === bits) return samples
  const narrow = depth === 16 && bits === 16 ? undefined : convertPixels(samples, png, wanted, Uint8Array)
  if (bits === 8 && narrow) return narrow
  return narrow ? Uint16Array.from(narrow, (value) => value * 257) : convertPixels(samples, png, wanted, Uint16Array)
}

const STORED: Readonly<Record<number, number>> = { [GREY]: 1, [GREY_ALPHA]: 2, [RGB]: 3, [RGBA]: 4 }

function convertPixels(
  samples: Samples,
  png: PngFile,
  wanted: number,
  Channels: typeof Uint8Array | typeof Uint16Array,
): Samples {
  const pixels = png.width * png.height
  const out = new Channels(pixels * wanted)
  const pixel = pixelReader(samples, png)
  const toGrey = greyMixer(png)
  const shift = png.depth === 16 && out instanceof Uint8Array ? 8 : 0
  for (let at = 0, to = 0; at < pixels; at++) {
    pixel.read(at)
    if (wanted <= 2) out[to++] = (pixel.isGrey ? pixel.red : toGrey(pixel.red, pixel.green, pixel.blue)) >> shift
    else {
      out[to++] = pixel.red >> shift
      out[to++] = pixel.green >> shift
      out[to++] = pixel.blue >> shift
    }
    if (wanted === 2 || wanted === 4) out[to++] = pixel.alpha >> shift
  }
  return out
}

/** Reads pixel after pixel as red, green, blue and alpha in 8 bits, or in 16 where the file has 16. */
function pixelReader(samples: Samples, png: PngFile) {
  const { color, depth, palette, transparency } = png
  const view = transparency && new DataView(transparency.buffer, transparency.byteOffset, transparency.byteLength)
  const key = (at: number) => (view && view.byteLength >= 2 * at + 2 ? view.getUint16(2 * at) : -1)
  const [keyRed, keyGreen, keyBlue] = [key(0), key(1), key(2)]
  // TensorFlow fills with the largest sample of the stored depth, so below 8 bits "opaque" is 1, 3 or 15.
  const opaque = depth === 16 ? 65_535 : (1 << depth) - 1
  const clearIsKnown = transparency !== undefined
  const full = depth === 16 ? 65_535 : 255
  const spread = depth < 8 ? 255 / ((1 << depth) - 1) : 1
  const sample = (at: number): number => samples[at] as number
  const pixel = { red: 0, green: 0, blue: 0, alpha: 0, isGrey: color === GREY || color === GREY_ALPHA, read }

  function read(at: number): void {
    if (color === GREY || color === GREY_ALPHA) {
      const step = color === GREY ? 1 : 2
      const value = sample(at * step)
      pixel.red = pixel.green = pixel.blue = value * spread
      if (color === GREY_ALPHA) pixel.alpha = sample(at * 2 + 1)
      else pixel.alpha = clearIsKnown ? (value === keyRed ? 0 : full) : opaque
    } else if (color === PALETTE) {
      const index = sample(at)
      pixel.red = palette?.[3 * index] ?? 0
      pixel.green = palette?.[3 * index + 1] ?? 0
      pixel.blue = palette?.[3 * index + 2] ?? 0
      pixel.alpha = clearIsKnown ? (transparency?.[index] ?? 255) : opaque
    } else {
      const step = color === RGB ? 3 : 4
      pixel.red = sample(at * step)
      pixel.green = sample(at * step + 1)
      pixel.blue = sample(at * step + 2)
      if (color === RGBA) pixel.alpha = sample(at * 4 + 3)
      else if (!clearIsKnown) pixel.alpha = opaque
      else pixel.alpha = pixel.red === keyRed && pixel.green === keyGreen && pixel.blue === keyBlue ? 0 : full
    }
  }
  return pixel
}

/** Shares of red, green and blue in grey: 0.299 and 0.587 cut to units of 1/32768, as libpng cuts them. */
const RED = 9797
const GREEN = 19_234
const BLUE = 32_768 - RED - GREEN

/**
 * libpng's png_do_rgb_to_gray. Where the file tells its gamma, grey is mixed in linear light, through tables of 8 bits;
 * 16 bit samples with a gamma come within one level of libpng, whose 16 bit tables are coarser than the samples.
 */
function greyMixer({ depth, gamma }: PngFile): (red: number, green: number, blue: number) => number {
  const most = depth === 16 ? 65_535 : 255
  const isLinear = gamma === undefined || Math.abs(gamma - 1) <= 0.05
  const half = depth === 16 || !isLinear ? 16_384 : 0
  const mix = (red: number, green: number, blue: number): number =>
    Math.floor((RED * red + GREEN * green + BLUE * blue + half) / 32_768)
  if (isLinear) return mix
  const power = (exponent: number) => (value: number) => Math.floor(most * (value / most) ** exponent + 0.5)
  const toLight = tabled(power(1 / gamma), most)
  const fromLight = tabled(power(gamma), most)
  return (red, green, blue) =>
    red === green && red === blue ? red : fromLight(mix(toLight(red), toLight(green), toLight(blue)))
}

function tabled(compute: (value: number) => number, most: number): (value: number) => number {
  if (most > 255) return compute
  const table = Uint8Array.from({ length: 256 }, (_, value) => compute(value))
  return (value) => table[value] as number
}
