import { parse as parseLossless } from 'lossless-json'

/** A number that a double might not hold, as it stands in the text. */
export class JsonNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

export type JsonValue = null | boolean | number | string | JsonNumber | readonly JsonValue[] | JsonObject
export interface JsonObject {
  readonly [key: string]: JsonValue
}

/** Digits or an exponent that a double may round away. */
const MAY_ROUND = /\d{16}|\d\.?[eE]/

/**
 * JSON with exact numbers. Only text with long numbers takes the slower way; of a key that comes twice the last counts.
 * @throws Error with a reason when it is no JSON.
 */
export function parseJson(text: string): JsonValue {
  if (!MAY_ROUND.test(text)) return JSON.parse(text) as JsonValue
  return parseLossless(text, undefined, {
    parseNumber: (digits: string) => new JsonNumber(digits),
    onDuplicateKey: ({ newValue }) => newValue,
  }) as JsonValue
}

/** The whole number that a JSON number stands for, however written; undefined when it has a fraction. */
export function wholeOf(number: number | JsonNumber): bigint | undefined {
  if (typeof number === 'number') return Number.isSafeInteger(number) ? BigInt(number) : undefined
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number.text)
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return 0n
  const zeros = digits.length - significant.length - fraction.length + Number(exponent)
  // No integer type holds more digits.
  if (zeros < 0 || significant.length + zeros > 20) return undefined
  return BigInt(significant) * 10n ** BigInt(zeros) * (sign === '-' ? -1n : 1n)
}

/** In an error: the start of what stands there. */
export function shownJson(value: JsonValue): string {
  const text = value instanceof JsonNumber ? value.text : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}
