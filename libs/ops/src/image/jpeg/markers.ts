import { exifOrientation } from './exif.js'

/**
 * Walks the markers of a JPEG without decoding it. Source: ITU-T T.81, annex B.
 */
const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const APP0 = 0xe0
const APP1 = 0xe1
const APP14 = 0xee

export interface JpegHeader {
  readonly width: number
  readonly height: number
  readonly components: number
  /** An APP14 segment of Adobe stands before the frame: CMYK inks are then stored inverted. */
  readonly hasAdobe: boolean
  /** Its colour transform: 0 none, 1 YCbCr, 2 YCCK. */
  readonly adobeTransform: number
  /** From the EXIF segment, 1 to 8; 1 where nothing is said. */
  readonly orientation: number
}

/** Size and components from the frame header, or undefined where there is none. */
export function jpegHeader(bytes: Uint8Array): JpegHeader | undefined {
  let hasAdobe = false
  let adobeTransform = 0
  let orientation: number | undefined
  for (const { marker, start, end } of segments(bytes)) {
    if (marker === APP14 && end - start >= 12 && String.fromCharCode(...bytes.subarray(start, start + 5)) === 'Adobe') {
      hasAdobe = true
      adobeTransform = bytes[start + 11] ?? 0
    }
    if (marker === APP1) orientation ??= exifOrientation(bytes.subarray(start, end))
    if (isFrame(marker) && end - start >= 6) {
      const view = new DataView(bytes.buffer, bytes.byteOffset + start, 6)
      return {
        height: view.getUint16(1),
        width: view.getUint16(3),
        components: view.getUint8(5),
        hasAdobe,
        adobeTransform,
        orientation: orientation ?? 1,
      }
    }
  }
  return undefined
}

/**
 * True when the end marker is there. libjpeg fills what is missing with grey and only warns; TensorFlow refuses an image
 * that ends before its end marker, whatever else the decoder put up with.
 */
export function hasEnd(bytes: Uint8Array): boolean {
  for (const { marker } of segments(bytes)) if (marker === EOI) return true
  return false
}

/**
 * The same image without what makes libjpeg warn while it reads the header: stray bytes between segments, an unknown JFIF
 * version, an unknown Adobe transform (libjpeg reads these as 1.1 and as YCbCr). Everything from the first scan on stays.
 */
export function tidyHeader(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [Uint8Array.of(0xff, SOI)]
  for (const { marker, start, end } of segments(bytes)) {
    if (marker === SOS) {
      parts.push(Uint8Array.of(0xff, SOS), bytes.subarray(start - 2))
      return Buffer.concat(parts)
    }
    if (isBare(marker)) continue
    const segment = bytes.slice(start - 2, end)
    const name = String.fromCharCode(...segment.subarray(2, 7))
    if (marker === APP0 && name === 'JFIF\0' && segment.length > 8) segment[7] = 1
    if (marker === APP14 && name === 'Adobe' && segment.length >= 14 && (segment[13] ?? 0) > 2) segment[13] = 1
    parts.push(Uint8Array.of(0xff, marker), segment)
  }
  return bytes
}

/** SOF0 to SOF15 without DHT (c4), JPG (c8) and DAC (cc), which lie among them. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

/** Markers without a length: TEM, RST0 to RST7, SOI, EOI. */
const isBare = (marker: number): boolean => marker === 1 || (marker >= 0xd0 && marker <= EOI)

/** Every marker with the [start, end) of its body. Bytes between segments, such as entropy-coded data, are passed over. */
function* segments(bytes: Uint8Array): Generator<{ marker: number; start: number; end: number }> {
  let at = bytes[0] === 0xff && bytes[1] === SOI ? 2 : 0
  while (at < bytes.length) {
    at = bytes.indexOf(0xff, at)
    if (at < 0) return
    while (bytes[at] === 0xff) at++
    const marker = bytes[at++]
    // ff00 is a stuffed byte of entropy-coded data.
    if (marker === undefined) return
    if (marker === 0) continue
    if (isBare(marker)) {
      yield { marker, start: at, end: at }
      if (marker === EOI) return
      continue
    }
    const length = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
    const end = at + length
    if (length < 2 || end > bytes.length) return
    yield { marker, start: at + 2, end }
    // The scan's data follow its header; the loop finds the next marker in them.
    at = end
    if (marker === SOS) continue
  }
}
