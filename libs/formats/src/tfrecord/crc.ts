import { crc32c } from '@node-rs/crc32'

/**
 * CRC32C rotated right by 15 bits plus a constant, so that a checksum of data that holds checksums stays useful.
 * Source: tensorflow/core/lib/hash/crc32c.h (`crc32c::Mask`).
 */
export function maskedCrc32c(bytes: Uint8Array): number {
  const crc = crc32c(bytes)
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}

export { crc32c }
