import type { FeatureSpec } from '@stoker/spec'
import { FeatureDefault } from '../error-table.js'
import type { Bytes, StringTensor, Tensor } from '../types.js'

export const sizeOf = (shape: readonly number[]): number => shape.reduce((product, dim) => product * dim, 1)

/** The value of a feature that a record lacks, or undefined where the feature has no default. */
export function defaultOf(name: string, feature: FeatureSpec): Tensor | Bytes | StringTensor | undefined {
  if (feature.default === undefined) return undefined
  const shape = feature.shape ?? []
  const size = sizeOf(shape)
  const given: readonly (number | string)[] = Array.isArray(feature.default) ? feature.default : [feature.default]
  if (given.length !== 1 && given.length !== size) {
    throw FeatureDefault(name, `${given.length} values, its shape [${shape.join(', ')}] needs ${size} (or one for all)`)
  }
  const values = given.length === size ? given : new Array<number | string>(size).fill(given[0] ?? 0)
  if (feature.dtype === 'string') {
    const strings = values.map((value) => new TextEncoder().encode(String(value)))
    const [only] = strings
    return shape.length === 0 && only
      ? { dtype: 'string', shape: [], data: only }
      : { dtype: 'string', shape, data: strings }
  }
  if (feature.dtype === 'float32') return { dtype: 'float32', shape, data: Float32Array.from(values, Number) }
  return { dtype: 'int64', shape, data: BigInt64Array.from(values, (value) => toInt64(name, value)) }
}

function toInt64(name: string, value: number | string): bigint {
  if (typeof value === 'number' ? Number.isSafeInteger(value) : /^[+-]?\d+$/.test(value)) {
    const whole = BigInt(typeof value === 'string' && value.startsWith('+') ? value.slice(1) : value)
    if (BigInt.asIntN(64, whole) === whole) return whole
  }
  throw FeatureDefault(name, `${JSON.stringify(value)} is no int64; beyond 2^53 write it as a decimal string`)
}
