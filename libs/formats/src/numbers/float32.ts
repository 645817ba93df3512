const bits = new DataView(new ArrayBuffer(8))
/** The bits of a double below those of a float32, and their middle. */
const LOW = 0x1fff_ffff
const HALF = 0x1000_0000

/**
 * The float32 nearest to a decimal, as strtof gives it. Rounding to double first can round twice: where the double lies
 * in the middle of two float32 and the decimal does not, the decimal decides.
 * @param text what `Number` reads as a decimal
 */
export function nearestFloat32(text: string): number {
  const double = Number(text)
  bits.setFloat64(0, double)
  const isMiddle = (bits.getUint32(4) & LOW) === HALF
  const order = isMiddle && Number.isFinite(double) ? compareExactly(text, double) : 0
  if (order === 0) return Math.fround(double)
  // One step of the double toward the decimal takes it off the middle.
  const pattern = bits.getBigUint64(0)
  bits.setBigUint64(0, order > 0 === double > 0 ? pattern + 1n : pattern - 1n)
  return Math.fround(bits.getFloat64(0))
}

/** Below, at or above 0 as the decimal is less than, equal to or more than the double. */
function compareExactly(text: string, double: number): number {
  const match = /^\s*([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?\s*$/.exec(text)
  if (!match) return 0
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const digits = BigInt(`${whole}${fraction}` || '0') * (sign === '-' ? -1n : 1n)
  const tens = Number(exponent) - fraction.length
  bits.setFloat64(0, double)
  const power = (bits.getUint32(0) >>> 20) & 0x7ff
  const fractionBits = bits.getBigUint64(0) & 0xf_ffff_ffff_ffffn
  const mantissa = (power === 0 ? fractionBits : fractionBits | (1n << 52n)) * (double < 0 ? -1n : 1n)
  const twos = (power === 0 ? 1 : power) - 1075
  const left = digits * 10n ** BigInt(Math.max(tens, 0)) * 2n ** BigInt(Math.max(-twos, 0))
  const right = mantissa * 2n ** BigInt(Math.max(twos, 0)) * 10n ** BigInt(Math.max(-tens, 0))
  return left < right ? -1 : left > right ? 1 : 0
}
