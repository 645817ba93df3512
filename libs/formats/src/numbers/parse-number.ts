import { INTEGER_BOUNDS } from '@stoker/spec'
import { nearestFloat32 } from './float32.js'

export type ParsedType = 'int32' | 'int64' | 'float32' | 'float64'

const WHOLE = /^[ \t\n\v\f\r]*([+-]?)(\d+)[ \t\n\v\f\r]*$/
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const HEX = /^([+-]?)0[xX]([\da-fA-F]*)\.?([\da-fA-F]*)(?:[pP]([+-]?\d+))?$/
const SPECIAL = /^([+-]?)(?:(nan(?:\(\w*\))?)|inf(?:inity)?)$/i

/**
 * A number written as text, as `tf.strings.to_number` and CsvDataset read it: blanks around it and a sign are allowed,
 * of floats also hexadecimal ones, `nan` and `inf`; floats out of range become infinite.
 * Source: absl::SimpleAtoi, SimpleAtof.
 *
 * @returns undefined where it is no number, or out of the range of a whole type.
 */
export function parseNumber(text: string, dtype: ParsedType): number | bigint | undefined {
  return dtype === 'int32' || dtype === 'int64' ? parseWhole(text, dtype) : parseFloating(text, dtype)
}

function parseWhole(text: string, dtype: 'int32' | 'int64'): number | bigint | undefined {
  const match = WHOLE.exec(text)
  if (!match) return undefined
  const digits = match[2] ?? ''
  if (digits.length < 10) {
    const small = Number(match[1] === '-' ? `-${digits}` : digits) + 0
    return dtype === 'int64' ? BigInt(small) : small
  }
  const value = BigInt(digits) * (match[1] === '-' ? -1n : 1n)
  const [least, most] = INTEGER_BOUNDS[dtype] ?? [0n, 0n]
  if (value < least || value > most) return undefined
  return dtype === 'int64' ? value : Number(value)
}

function parseFloating(text: string, dtype: 'float32' | 'float64'): number | undefined {
  const bare = text.replace(/^[ \t\n\v\f\r]+|[ \t\n\v\f\r]+$/g, '')
  if (DECIMAL.test(bare)) return dtype === 'float32' ? nearestFloat32(bare) : Number(bare)
  const special = SPECIAL.exec(bare)
  if (special) return special[2] ? Number.NaN : special[1] === '-' ? -Infinity : Infinity
  const hex = HEX.exec(bare)
  if (!hex) return undefined
  const [, sign, whole = '', fraction = '', power = '0'] = hex
  // A power of ten thousand is beyond any double; digits past those of a double round as they are summed.
  if (whole + fraction === '' || Math.abs(Number(power)) > 10_000) return undefined
  const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(power) - 4 * fraction.length)
  return dtype === 'float32' ? Math.fround(sign === '-' ? -value : value) : sign === '-' ? -value : value
}
