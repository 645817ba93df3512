const ORIENTATION = 0x0112
const SHORT = 3

/**
 * The orientation of an EXIF segment's body, 1 to 8; undefined where there is none, or none that makes sense.
 * Source: CIPA DC-008 (EXIF 2.32), the TIFF header and the 0th directory.
 */
export function exifOrientation(body: Uint8Array): number | undefined {
  if (String.fromCharCode(...body.subarray(0, 6)) !== 'Exif\0\0') return undefined
  const tiff = new DataView(body.buffer, body.byteOffset + 6, body.byteLength - 6)
  if (tiff.byteLength < 8) return undefined
  const isLittle = tiff.getUint16(0) === 0x4949
  if (!isLittle && tiff.getUint16(0) !== 0x4d4d) return undefined
  const directory = tiff.getUint32(4, isLittle)
  if (directory + 2 > tiff.byteLength) return undefined
  const entries = tiff.getUint16(directory, isLittle)
  for (let at = directory + 2; at < directory + 2 + 12 * entries && at + 12 <= tiff.byteLength; at += 12) {
    if (tiff.getUint16(at, isLittle) !== ORIENTATION || tiff.getUint16(at + 2, isLittle) !== SHORT) continue
    const value = tiff.getUint16(at + 8, isLittle)
    return value >= 1 && value <= 8 ? value : undefined
  }
  return undefined
}
