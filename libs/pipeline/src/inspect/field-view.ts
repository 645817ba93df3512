import { createHash } from 'node:crypto'
import type { RecordFields, Tensor } from '@stoker/formats'

export type Field = RecordFields[string]

/** A field as JSON can hold it without loss, or as a hash where it is long. */
export interface FieldView {
  readonly dtype: string
  readonly shape: readonly number[]
  /** All elements, row-major, where they are few: int64 as decimal texts, byte strings as UTF-8 or base64. */
  readonly values?: readonly (number | string | boolean)[]
  /** How byte strings stand in `values`; one for all of a field. */
  readonly encoding?: 'utf8' | 'base64'
  /** Some numbers stand as texts, since JSON has none for them: NaN, Infinity, -Infinity, -0. */
  readonly special?: true
  /** Bytes of all elements. */
  readonly bytes: number
  /** Of the elements' bytes, little-endian and row-major; of several byte strings, one after the other. */
  readonly sha256: string
}

const MOST_VALUES = 256
const MOST_TEXT_BYTES = 8 * 1024

export function fieldsView(fields: RecordFields, mostValues = MOST_VALUES): Readonly<Record<string, FieldView>> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldView(field, mostValues)]))
}

export function fieldView(field: Field, mostValues = MOST_VALUES): FieldView {
  const parts = partsOf(field)
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  const bytes = parts.reduce((sum, part) => sum + part.byteLength, 0)
  const { dtype, shape } = field
  return { dtype, shape, ...shown(field, parts, bytes, mostValues), bytes, sha256: hash.digest('hex') }
}

type Shown = Pick<FieldView, 'values' | 'encoding' | 'special'>

function shown(field: Field, parts: readonly Uint8Array[], bytes: number, mostValues: number): Shown {
  if (field.dtype !== 'string') return field.data.length <= mostValues ? numbersShown(field) : {}
  if (parts.length > mostValues || bytes > MOST_TEXT_BYTES) return {}
  const texts = parts.map(textOf)
  if (texts.every((text) => text !== undefined)) return { values: texts, encoding: 'utf8' }
  return { values: parts.map((part) => Buffer.from(part).toString('base64')), encoding: 'base64' }
}

function numbersShown({ dtype, data }: Tensor): Shown {
  if (dtype === 'bool') return { values: Array.from(data as Uint8Array, (value) => value !== 0) }
  const values = Array.from<number | bigint, number | string>(data as ArrayLike<number | bigint>, (value) => {
    if (typeof value === 'bigint') return String(value)
    return Object.is(value, -0) ? '-0' : Number.isFinite(value) ? value : String(value)
  })
  const isSpecial = dtype !== 'int64' && values.some((value) => typeof value === 'string')
  return { values, ...(isSpecial ? { special: true } : {}) }
}

/** The bytes of each byte string, or of the whole tensor. */
function partsOf(field: Field): readonly Uint8Array[] {
  if (field.dtype === 'string') return field.data instanceof Uint8Array ? [field.data] : field.data
  return [new Uint8Array(field.data.buffer, field.data.byteOffset, field.data.byteLength)]
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of bytes that are one: UTF-8 without control characters, but tab and line ends. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = utf8.decode(bytes)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they tell binary data from text
    return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text) ? undefined : text
  } catch {
    return undefined
  }
}

/** Least, largest and mean element of numbers that are finite; `finite` counts them. */
export interface NumberSummary {
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly finite: number
}

/** Numbers past 2^53 are rounded; undefined when no element is finite. */
export function summaryOf({ data }: Pick<Tensor, 'data'>): NumberSummary | undefined {
  let [min, max, sum, finite] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0]
  for (const element of data as Iterable<number | bigint>) {
    const value = Number(element)
    if (!Number.isFinite(value)) continue
    min = Math.min(min, value)
    max = Math.max(max, value)
    sum += value
    finite++
  }
  return finite === 0 ? undefined : { min, max, mean: sum / finite, finite }
}
