import { Type } from 'typebox'
import type { DType } from './dtype.js'
import { BadLiteral } from './error-table.js'
import { StokerError } from './errors.js'

/** A value written in a spec, for all elements of a field. */
export const Literal = Type.Union([Type.Number(), Type.String(), Type.Boolean()], {
  description: 'int64 beyond 2^53 as a decimal string',
})
/** A value written in a spec: one for all elements, or one an element. */
export const Literals = Type.Union(
  [Type.Number(), Type.String(), Type.Boolean(), Type.Array(Type.Number()), Type.Array(Type.String())],
  { description: 'one value for all elements, or one an element; int64 beyond 2^53 as a decimal string' },
)

type Bounds = readonly [least: bigint, most: bigint]
const bits = (width: number): Bounds => [-(2n ** BigInt(width - 1)), 2n ** BigInt(width - 1) - 1n]
const unsigned = (width: number): Bounds => [0n, 2n ** BigInt(width) - 1n]

/** Least and most value of each whole type. */
export const INTEGER_BOUNDS: Partial<Record<DType | 'string', Bounds>> = {
  uint8: unsigned(8),
  uint16: unsigned(16),
  int8: bits(8),
  int16: bits(16),
  int32: bits(32),
  int64: bits(64),
}

/** Text as bytes, whole numbers as bigint, floats as number, bool as 0 or 1. */
export type Element = number | bigint | Uint8Array

/**
 * A literal as an element of a type.
 * @throws StokerError STK_SPEC_LITERAL when it is none.
 */
export function elementOf(dtype: DType | 'string', value: string | number | boolean): Element {
  const refuse = (why: string) => BadLiteral(JSON.stringify(value), dtype, why)
  if (dtype === 'string') {
    if (typeof value !== 'string') throw refuse('write it as a text')
    return new TextEncoder().encode(value)
  }
  if (dtype === 'bool') {
    if (value !== true && value !== false && value !== 0 && value !== 1) throw refuse('write true or false')
    return Number(value)
  }
  if (typeof value === 'boolean') throw refuse('write a number')
  const bounds = INTEGER_BOUNDS[dtype]
  if (!bounds) {
    const number = typeof value === 'string' ? floatOf(value) : value
    if (number === undefined) throw refuse('write a number, "NaN", "Infinity" or "-Infinity"')
    return number
  }
  const isWhole = typeof value === 'number' ? Number.isSafeInteger(value) : /^[+-]?\d{1,20}$/.test(value)
  if (!isWhole) throw refuse('write a whole number; beyond 2^53 as a decimal string')
  const whole = BigInt(typeof value === 'string' ? value.replace(/^\+/, '') : value)
  if (whole < bounds[0] || whole > bounds[1]) throw refuse(`it goes from ${bounds[0]} to ${bounds[1]}`)
  return whole
}

function floatOf(text: string): number | undefined {
  if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return Number(text)
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : undefined
}

type Written = string | number | boolean | readonly string[] | readonly number[]

/**
 * Elements that a default stands for: a single value fills a shape; `undefined` where there is no default.
 * @throws StokerError STK_SPEC_LITERAL when a value or their number does not fit, or only the first dimension may be open.
 */
export function checkLiterals(
  field: string,
  dtype: DType | 'string',
  shape: readonly (number | null)[],
  written: Written | undefined,
): { readonly shape: readonly number[]; readonly elements: readonly Element[] } | undefined {
  const place = { place: { field } }
  if (shape.indexOf(null, 1) > 0)
    throw BadLiteral(`[${shape}]`, 'shape', 'only the first dimension may be null').with(place)
  if (written === undefined) return undefined
  const values: readonly (string | number | boolean)[] = Array.isArray(written) ? written : [written]
  try {
    const elements = values.map((value) => elementOf(dtype, value))
    const inner = shape.slice(shape[0] === null ? 1 : 0).reduce<number>((product, dim) => product * (dim ?? 1), 1)
    const isOpen = shape[0] === null
    const size = isOpen ? Math.ceil(elements.length / Math.max(inner, 1)) * inner : inner
    const filled =
      elements.length === 1 && !Array.isArray(written) ? new Array<Element>(size).fill(elements[0] ?? 0) : elements
    if (filled.length !== size) {
      throw BadLiteral(
        JSON.stringify(written),
        dtype,
        `the shape [${shape.map((dim) => dim ?? '?')}] needs ${size} values`,
      )
    }
    const dims = shape.map((dim) => dim ?? (inner === 0 ? 0 : filled.length / inner))
    return { shape: dims, elements: filled }
  } catch (error) {
    throw error instanceof StokerError ? error.with(place) : error
  }
}
