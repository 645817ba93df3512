import { ARRAYS, parseNumber } from '@stoker/formats'
import { DTYPE_BYTES } from '@stoker/spec'
import { BytesUndecodable } from '../error-table.js'
import { bytesOf, withField } from '../fields.js'
import type { KernelOf } from '../kernel.js'
import { mapStrings, stringsOf } from '../text/strings.js'

/** As `tf.io.decode_raw`: with `fixedLength` the bytes are cut, or padded with zeros. */
export const decodeRaw: KernelOf<'decodeRaw'> = ({ field, dtype, littleEndian = true, fixedLength }) => {
  const width = DTYPE_BYTES[dtype]
  return (record) => {
    const bytes = bytesOf(record, 'decodeRaw', field)
    const length = fixedLength ?? bytes.length
    if (length % width !== 0) {
      throw BytesUndecodable('decodeRaw', `${length} bytes are no multiple of the ${width} of ${dtype}`)
    }
    const data = new ARRAYS[dtype](length / width)
    // A Buffer over the same memory: all machines that Stoker runs on are little-endian.
    const raw = Buffer.from(data.buffer)
    raw.set(bytes.subarray(0, length))
    if (!littleEndian && width === 2) raw.swap16()
    if (!littleEndian && width === 4) raw.swap32()
    if (!littleEndian && width === 8) raw.swap64()
    if (dtype === 'bool') for (const [at, byte] of raw.entries()) raw[at] = byte === 0 ? 0 : 1
    return withField(record, field, { dtype, shape: [data.length], data })
  }
}

const WEB_SAFE = /^[A-Za-z0-9_-]*={0,2}$/

/** As `tf.io.decode_base64`: the web-safe alphabet (RFC 4648, 5); padding may be left out. */
export const decodeBase64: KernelOf<'decodeBase64'> =
  ({ field }) =>
  (record) =>
    mapStrings(record, 'decodeBase64', field, (text) => {
      const encoded = Buffer.from(text.buffer, text.byteOffset, text.length).toString('latin1')
      const bare = encoded.replace(/=+$/, '')
      const isWhole = bare.length % 4 !== 1 && (bare === encoded || encoded.length % 4 === 0)
      if (!WEB_SAFE.test(encoded) || !isWhole) {
        throw BytesUndecodable('decodeBase64', `${shown(encoded)} is no web-safe base64`)
      }
      return Buffer.from(bare, 'base64url')
    })

/** As `tf.strings.to_number`. */
export const stringToNumber: KernelOf<'stringToNumber'> =
  ({ field, dtype = 'float32' }) =>
  (record) => {
    const { shape, strings } = stringsOf(record, 'stringToNumber', field)
    const numbers = strings.map((text) => {
      const string = Buffer.from(text.buffer, text.byteOffset, text.length).toString('latin1')
      const number = parseNumber(string, dtype)
      if (number === undefined) throw BytesUndecodable('stringToNumber', `${shown(string)} is no ${dtype}`)
      return number
    })
    const data = dtype === 'int64' ? BigInt64Array.from(numbers as bigint[]) : ARRAYS[dtype].from(numbers as number[])
    return withField(record, field, { dtype, shape, data })
  }

const shown = (text: string): string => JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}...` : text)
