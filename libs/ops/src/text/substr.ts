import { RecordShape } from '../error-table.js'
import { startsChar } from './strings.js'

type Unit = 'BYTE' | 'UTF8_CHAR'

/** `tf.strings.length`. */
export function textLength(text: Uint8Array, unit: Unit = 'BYTE'): number {
  return unit === 'BYTE' ? text.length : text.reduce((count, byte) => count + (startsChar(byte) ? 1 : 0), 0)
}

/**
 * `tf.strings.substr`.
 * @throws StokerError STK_OPS_SHAPE when `pos` lies outside the text
 */
export function substrOf(text: Uint8Array, pos: number, len: number, unit: Unit = 'BYTE'): Uint8Array {
  const size = textLength(text, unit)
  const start = pos < 0 ? size + pos : pos
  if (start < 0 || start > size) throw RecordShape('substr', `pos ${pos} lies outside a text of length ${size}`)
  const end = Math.min(start + len, size)
  if (unit === 'BYTE') return text.subarray(start, end)
  return text.subarray(byteOf(text, start), byteOf(text, end))
}

/** Byte offset of a character; the length of the text for the one behind the last. */
function byteOf(text: Uint8Array, char: number): number {
  let seen = -1
  for (let at = 0; at < text.length; at++) {
    if (startsChar(text[at]) && ++seen === char) return at
  }
  return text.length
}
