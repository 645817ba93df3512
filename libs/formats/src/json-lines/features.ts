import { checkLiterals, type DType, INTEGER_BOUNDS, type JsonFeature, type LiteralElement } from '@stoker/spec'
import { JsonMissing, JsonShape, JsonValue as JsonValueError } from '../error-table.js'
import { nearestFloat32 } from '../numbers/float32.js'
import { type Field, fieldOf } from '../tensor.js'
import { JsonNumber, type JsonObject, type JsonValue, shownJson, wholeOf } from './parse.js'

/** Takes one declared feature out of the object of a line. */
export type FeatureReader = (line: JsonObject) => Field

/** @throws StokerError STK_JSON_MISSING, _VALUE, _SHAPE from the reader. */
export function featureReader(name: string, feature: JsonFeature): FeatureReader {
  const { dtype, shape = [], path = name } = feature
  const keys = typeof path === 'string' ? path.split('.') : path
  const literals = checkLiterals(name, dtype, shape, feature.default)
  const fallback = literals && fieldOf(dtype, literals.shape, literals.elements)
  return (line) => {
    const value = valueAt(line, keys)
    if (value === undefined || value === null) {
      if (fallback) return fallback
      throw JsonMissing(name, Object.keys(line).slice(0, 20).join(', ') || 'nothing').with({ place: { field: name } })
    }
    const elements: LiteralElement[] = []
    const dims = shape.map((dim, depth) =>
      depth === 0 && dim === null && Array.isArray(value) ? value.length : (dim ?? 0),
    )
    collect(name, dtype, shape, dims, 0, value, elements)
    return fieldOf(dtype, dims, elements)
  }
}

function valueAt(line: JsonObject, keys: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = line
  for (const key of keys) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!isObject || !Object.hasOwn(value as JsonObject, key)) return undefined
    value = (value as JsonObject)[key]
  }
  return value
}

/** Elements of arrays in arrays, row-major. `dims` is `shape` with the length at hand in place of null. */
function collect(
  name: string,
  dtype: DType | 'string',
  shape: readonly (number | null)[],
  dims: readonly number[],
  depth: number,
  value: JsonValue,
  elements: LiteralElement[],
): void {
  const dim = dims[depth]
  if (dim === undefined) {
    const element = elementOf(dtype, value)
    if (element === undefined) throw JsonValueError(name, shownJson(value), dtype).with({ place: { field: name } })
    elements.push(element)
    return
  }
  const wrong = (what: string) =>
    JsonShape(name, what, shape.map((one) => one ?? '?').join(', ')).with({ place: { field: name } })
  if (!Array.isArray(value)) throw wrong(`${shownJson(value)} is no array`)
  if (value.length !== dim) throw wrong(`an array of ${value.length} where dimension ${depth} is ${dim}`)
  for (const item of value as readonly JsonValue[]) collect(name, dtype, shape, dims, depth + 1, item, elements)
}

/** @returns undefined when the value is none of the type: nothing is rounded to a whole number or wrapped. */
function elementOf(dtype: DType | 'string', value: JsonValue): LiteralElement | undefined {
  if (dtype === 'string') {
    // A half of a surrogate pair has no bytes in UTF-8.
    return typeof value === 'string' && !/\p{Surrogate}/u.test(value) ? Buffer.from(value) : undefined
  }
  if (dtype === 'bool') return typeof value === 'boolean' ? Number(value) : undefined
  const bounds = INTEGER_BOUNDS[dtype]
  const isNumber = typeof value === 'number' || value instanceof JsonNumber
  if (bounds) {
    // protobuf's JSON writes int64 as a string.
    const digits = dtype === 'int64' && typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? value : undefined
    const whole = digits !== undefined ? BigInt(digits) : isNumber ? wholeOf(value) : undefined
    if (whole === undefined || whole < bounds[0] || whole > bounds[1]) return undefined
    return dtype === 'int64' ? whole : Number(whole)
  }
  if (!isNumber) return undefined
  const text = value instanceof JsonNumber ? value.text : String(value)
  const float = dtype === 'float32' ? nearestFloat32(text) : Number(text)
  return Number.isFinite(float) ? float : undefined
}
