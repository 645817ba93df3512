import { maskedCrc32c } from './crc.js'
import { HEADER_BYTES } from './frame.js'

/** True when the bytes start with a TFRecord header whose checksum holds. */
export function startsFrame(head: Uint8Array): boolean {
  if (head.length < HEADER_BYTES) return false
  const stored = new DataView(head.buffer, head.byteOffset, HEADER_BYTES).getUint32(8, true)
  return stored === maskedCrc32c(head.subarray(0, 8))
}
