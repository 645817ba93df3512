const BOM = [0xef, 0xbb, 0xbf]

/** Bytes a UTF-8 text starts with that say only that it is UTF-8. */
export const bomBytes = (head: Uint8Array): number => (BOM.every((byte, at) => head[at] === byte) ? 3 : 0)

export const isBomByte = (byte: number, offset: number): boolean => BOM[offset] === byte

const isText = new TextDecoder('utf-8', { fatal: true })

/**
 * True when the bytes are certainly text: UTF-8 without control characters. No compressed stream of more than some bytes
 * is, since its bytes are all alike probable.
 */
export function isPlainText(head: Uint8Array): boolean {
  // A character that the head cuts is no fault.
  let end = head.length
  while (end > 0 && end > head.length - 3 && ((head[end - 1] ?? 0) & 0xc0) === 0x80) end--
  if (((head[end - 1] ?? 0) & 0xc0) === 0xc0) end--
  const whole = head.subarray(0, end)
  if (whole.some((byte) => byte < 32 && byte !== 9 && byte !== 10 && byte !== 13)) return false
  try {
    isText.decode(whole)
    return true
  } catch {
    return false
  }
}
