import { bytesOf } from '../fields.js'
import type { KernelOf } from '../kernel.js'
import { wordIds } from '../text/lookup.js'
import { regexReplacer } from '../text/regex.js'
import { splitText } from '../text/split.js'
import { decodeUtf8, encodeUtf8, isSpace, mapStrings, stringsOf } from '../text/strings.js'
import { substrOf, textLength } from '../text/substr.js'

export const textSplit: KernelOf<'textSplit'> =
  ({ field, separator = '', maxSplit = -1 }) =>
  (record) => {
    const parts = splitText(bytesOf(record, 'textSplit', field), separator, maxSplit)
    return { ...record, [field]: { dtype: 'string', shape: [parts.length], data: parts } }
  }

/** Changes the 26 letters from `first` on by `by`; all other bytes stay. */
const shiftAscii = (first: number, by: number) => (text: Uint8Array) =>
  text.map((byte) => (byte >= first && byte < first + 26 ? byte + by : byte))
const throughString = (change: (text: string) => string) => (text: Uint8Array) => encodeUtf8(change(decodeUtf8(text)))

export const lower: KernelOf<'lower'> = ({ field, encoding = '' }) => {
  const change = encoding === '' ? shiftAscii(65, 32) : throughString((text) => text.toLowerCase())
  return (record) => mapStrings(record, 'lower', field, change)
}

export const upper: KernelOf<'upper'> = ({ field, encoding = '' }) => {
  const change = encoding === '' ? shiftAscii(97, -32) : throughString((text) => text.toUpperCase())
  return (record) => mapStrings(record, 'upper', field, change)
}

const stripped = (text: Uint8Array): Uint8Array => {
  let start = 0
  let end = text.length
  while (start < end && isSpace(text[start])) start++
  while (end > start && isSpace(text[end - 1])) end--
  return text.subarray(start, end)
}
export const strip: KernelOf<'strip'> =
  ({ field }) =>
  (record) =>
    mapStrings(record, 'strip', field, stripped)

export const normalizeUnicode: KernelOf<'normalizeUnicode'> = ({ field, form = 'NFKC' }) => {
  const change = throughString((text) => text.normalize(form))
  return (record) => mapStrings(record, 'normalizeUnicode', field, change)
}

export const regexReplace: KernelOf<'regexReplace'> = ({ field, pattern, rewrite, replaceGlobal = true }) => {
  const replace = regexReplacer(pattern, rewrite, replaceGlobal)
  return (record) => mapStrings(record, 'regexReplace', field, replace)
}

export const substr: KernelOf<'substr'> =
  ({ field, pos, len, unit = 'BYTE' }) =>
  (record) =>
    mapStrings(record, 'substr', field, (text) => substrOf(text, pos, len, unit))

export const stringLength: KernelOf<'stringLength'> =
  ({ field, unit = 'BYTE', into = field }) =>
  (record) => {
    const { shape, strings } = stringsOf(record, 'stringLength', field)
    const data = Int32Array.from(strings, (text) => textLength(text, unit))
    return { ...record, [into]: { dtype: 'int32', shape, data } }
  }

export const lookup: KernelOf<'lookup'> = ({ field, ...params }) => {
  // `withVocabularies` of @stoker/formats puts the words into the chain before it is planned.
  if (params.vocabularyFile && !params.vocabulary) throw new TypeError(`${params.vocabularyFile} was not read`)
  const idOf = wordIds(params)
  return (record) => {
    const { shape, strings } = stringsOf(record, 'lookup', field)
    return { ...record, [field]: { dtype: 'int64', shape, data: BigInt64Array.from(strings, idOf) } }
  }
}
