import { maskedCrc32c } from './crc.js'
import { FRAME_BYTES, HEADER_BYTES } from './frame.js'

/** One TFRecord shard, uncompressed, of the given payloads. */
export function writeTfrecord(records: Iterable<Uint8Array>): Uint8Array {
  const payloads = [...records]
  const out = new Uint8Array(payloads.reduce((bytes, payload) => bytes + FRAME_BYTES + payload.length, 0))
  const view = new DataView(out.buffer)
  let at = 0
  for (const payload of payloads) {
    view.setBigUint64(at, BigInt(payload.length), true)
    view.setUint32(at + 8, maskedCrc32c(out.subarray(at, at + 8)), true)
    out.set(payload, at + HEADER_BYTES)
    view.setUint32(at + HEADER_BYTES + payload.length, maskedCrc32c(payload), true)
    at += FRAME_BYTES + payload.length
  }
  return out
}
