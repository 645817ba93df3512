import { DELIMITED, FIXED32, VARINT, type WireReader } from './wire.js'

/** Tag of the `value` field of BytesList, FloatList and Int64List, without its wire type. */
const VALUE = 1 << 3

/** Reads the int64 values between `start` and `end`, packed, unpacked or mixed; returns how many there are. */
export function readInt64s(reader: WireReader, start: number, end: number, into: Int32Array, from: number): number {
  let count = from
  const put = () => {
    reader.varint64()
    // Past the asked count the values are only counted, for the error message.
    if (2 * count < into.length) {
      into[2 * count] = reader.low
      into[2 * count + 1] = reader.high
    }
    count++
  }
  eachField(reader, start, end, (tag) => {
    if (tag === (VALUE | VARINT)) put()
    else if (tag === (VALUE | DELIMITED)) {
      const outer = reader.end
      reader.end = reader.delimited()
      while (reader.more) put()
      reader.end = outer
    } else reader.skip(tag)
  })
  return count
}

/** Reads float values as their little-endian bytes. */
export function readFloats(reader: WireReader, start: number, end: number, into: Uint8Array, from: number): number {
  let count = from
  const put = (at: number, bytes: number) => {
    const room = Math.max(0, Math.min(bytes, into.length - 4 * count))
    if (room > 0) into.set(reader.bytes.subarray(at, at + room), 4 * count)
    count += bytes / 4
    reader.at = at + bytes
  }
  eachField(reader, start, end, (tag) => {
    if (tag === (VALUE | FIXED32)) {
      if (reader.at + 4 > reader.end) throw reader.malformed('a float without its end')
      put(reader.at, 4)
    } else if (tag === (VALUE | DELIMITED)) {
      const partEnd = reader.delimited()
      const bytes = partEnd - reader.at
      if (bytes % 4 !== 0) throw reader.malformed(`packed floats of ${bytes} bytes`)
      put(reader.at, bytes)
    } else reader.skip(tag)
  })
  return count
}

/** Reads byte strings as views of the record. */
export function readBytes(reader: WireReader, start: number, end: number, into: Uint8Array[]): void {
  eachField(reader, start, end, (tag) => {
    if (tag !== (VALUE | DELIMITED)) return reader.skip(tag)
    const partEnd = reader.delimited()
    into.push(reader.bytes.subarray(reader.at, partEnd))
    reader.at = partEnd
  })
}

function eachField(reader: WireReader, start: number, end: number, read: (tag: number) => void): void {
  reader.at = start
  reader.end = end
  while (reader.more) read(reader.tag())
}
