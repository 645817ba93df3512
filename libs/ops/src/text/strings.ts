import type { RecordFields } from '@stoker/formats'
import { elementsOf, fieldOf } from '../elements.js'
import { wrongField } from '../fields.js'

/** All texts of a field, which must hold text. */
export function stringsOf(record: RecordFields, op: string, field: string) {
  const value = record[field]
  if (value?.dtype !== 'string') throw wrongField(op, field, 'text', value)
  return { shape: value.shape, strings: elementsOf(value) as readonly Uint8Array[] }
}

/** The record with each text of a field changed. */
export function mapStrings(
  record: RecordFields,
  op: string,
  field: string,
  change: (text: Uint8Array) => Uint8Array,
): RecordFields {
  const { shape, strings } = stringsOf(record, op, field)
  return { ...record, [field]: fieldOf('string', shape, strings.map(change)) }
}

const buffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
/** UTF-8 to a string; what is no UTF-8 becomes U+FFFD. */
export const decodeUtf8 = (bytes: Uint8Array): string => buffer(bytes).toString('utf8')
export const encodeUtf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8')

/** Space, tab, line feed, vertical tab, form feed, carriage return. */
export const isSpace = (byte: number | undefined): boolean =>
  byte === 32 || (byte !== undefined && byte >= 9 && byte <= 13)

/** Any byte but those that continue a UTF-8 character. */
export const startsChar = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) !== 0x80
