import { encodeUtf8, isSpace } from './strings.js'

/**
 * Cuts a text as `tf.strings.split`: at runs of white space when the separator is empty, else at each separator.
 * Parts are views. Source: SplitV2 in tensorflow/core/kernels/string_split_op.cc.
 *
 * @param most cuts; -1 for no limit
 */
export function splitText(text: Uint8Array, separator: string, most = -1): Uint8Array[] {
  if (most === 0) return [text]
  return separator === '' ? splitAtSpace(text, most) : splitAt(text, encodeUtf8(separator), most)
}

function splitAtSpace(text: Uint8Array, most: number): Uint8Array[] {
  const parts: Uint8Array[] = []
  let at = 0
  const skipSpace = () => {
    while (isSpace(text[at])) at++
  }
  skipSpace()
  while (at < text.length) {
    const start = at
    while (at < text.length && !isSpace(text[at])) at++
    parts.push(text.subarray(start, at))
    skipSpace()
    if (parts.length === most) {
      parts.push(text.subarray(at))
      break
    }
  }
  return parts
}

function splitAt(text: Uint8Array, separator: Uint8Array, most: number): Uint8Array[] {
  const held = Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  const parts: Uint8Array[] = []
  let start = 0
  for (let at = held.indexOf(separator); at >= 0 && parts.length !== most; at = held.indexOf(separator, start)) {
    parts.push(text.subarray(start, at))
    start = at + separator.length
  }
  parts.push(text.subarray(start))
  return parts
}
