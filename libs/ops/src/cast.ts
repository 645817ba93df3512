import { ARRAYS, type Tensor, type TypedArray } from '@stoker/formats'
import { type DType, INTEGER_BOUNDS } from '@stoker/spec'

export { ARRAYS }

const RANGES: Partial<Record<DType, readonly [least: number, most: number]>> = {
  uint8: [0, 255],
  int8: [-128, 127],
  uint16: [0, 65_535],
  int16: [-32_768, 32_767],
}

/**
 * As `tf.cast`: floats are truncated toward zero, whole numbers wrap, anything but zero is true.
 *
 * Floats beyond int32 and int64, and NaN, become the least value, as TensorFlow on x86 and ARM has it. For floats beyond
 * the 8 and 16 bit types TensorFlow's answer depends on where in its vector loop the element lies; here they saturate,
 * and NaN becomes 0.
 */
export function castTensor(tensor: Tensor, dtype: DType): Tensor {
  if (tensor.dtype === dtype) return tensor
  return { dtype, shape: tensor.shape, data: castArray(tensor.data, dtype) }
}

function castArray(data: TypedArray, dtype: DType): TypedArray {
  if (data instanceof BigInt64Array) return fromInt64(data, dtype)
  if (dtype === 'int64') return toInt64(data)
  if (dtype === 'bool') return Uint8Array.from(data, (value) => (value === 0 ? 0 : 1))
  const out = new ARRAYS[dtype](data.length)
  const isFloat = data instanceof Float32Array || data instanceof Float64Array
  if (!isFloat || dtype === 'float32' || dtype === 'float64') {
    // The typed array itself rounds to float32 and wraps whole numbers.
    out.set(data)
    return out
  }
  const range = RANGES[dtype]
  for (let at = 0; at < data.length; at++) {
    const value = data[at] ?? 0
    if (range) out[at] = Math.min(Math.max(value, range[0]), range[1])
    else out[at] = value > -2_147_483_649 && value < 2_147_483_648 ? value : -2_147_483_648
  }
  return out
}

function toInt64(data: Exclude<TypedArray, BigInt64Array>): BigInt64Array {
  const least = -(2n ** 63n)
  return BigInt64Array.from(data, (value) =>
    value >= -(2 ** 63) && value < 2 ** 63 ? BigInt(Math.trunc(value)) : least,
  )
}

function fromInt64(data: BigInt64Array, dtype: DType): TypedArray {
  if (dtype === 'bool') return Uint8Array.from(data, (value) => (value === 0n ? 0 : 1))
  const out = new ARRAYS[dtype as Exclude<DType, 'int64'>](data.length)
  const toNumber = dtype === 'float32' ? roundable : dtype === 'float64' ? Number : lowBits
  for (let at = 0; at < data.length; at++) out[at] = toNumber(data[at] ?? 0n)
  return out
}

const lowBits = (value: bigint): number => Number(BigInt.asIntN(32, value))

/**
 * A double that rounds to the same float32 as the int64 does. Rounding to double first could round twice; past 2^53 the
 * lowest ten bits are folded into one sticky bit instead.
 */
function roundable(value: bigint): number {
  if (value <= 9_007_199_254_740_992n && value >= -9_007_199_254_740_992n) return Number(value)
  const sticky = (value & 1023n) === 0n ? 0n : 1n
  return Number((value >> 10n) | sticky) * 1024
}

/** The first int64 that a narrower whole type cannot hold. */
export function outOfRange({ data }: Tensor, dtype: DType): bigint | undefined {
  const bounds = INTEGER_BOUNDS[dtype]
  if (!bounds || dtype === 'int64' || !(data instanceof BigInt64Array)) return undefined
  return data.find((value) => value < bounds[0] || value > bounds[1])
}
