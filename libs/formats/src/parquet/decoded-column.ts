import { type DType, INTEGER_BOUNDS } from '@stoker/spec'
import { ARRAYS, type Field } from '../tensor.js'
import type { TypedArray } from '../types.js'
import type { ColumnKind } from './column-kind.js'

export type Cell =
  | Field
  | { readonly fault: 'null' | 'null in a list' }
  | { readonly fault: 'range'; readonly value: string }

/** The values of one column in one row group, packed. */
export class DecodedColumn {
  readonly #dtype: DType | 'string'
  readonly #numbers: TypedArray | undefined
  readonly #strings: readonly Uint8Array[]
  /** Of lists: where the values of each row begin, and where the last end. */
  readonly #starts: Uint32Array | undefined
  readonly #faults = new Map<number, Exclude<Cell, Field>>()
  readonly bytes: number

  /** @param rows a value a row, or an array of values: null and undefined where there is none */
  constructor(rows: ArrayLike<unknown>, kind: ColumnKind, dtype: DType | 'string') {
    this.#dtype = dtype
    this.#starts = kind.isList ? startsOf(rows) : undefined
    const count = this.#starts?.[rows.length] ?? rows.length
    const strings: Uint8Array[] = []
    const numbers = dtype === 'string' ? undefined : new ARRAYS[dtype](count)
    const put = putter(kind, dtype, numbers, strings)
    for (let row = 0; row < rows.length; row++) {
      const value = rows[row]
      const start = this.#starts?.[row]
      const values: ArrayLike<unknown> = start === undefined || !value ? [value] : (value as ArrayLike<unknown>)
      if (value === null || value === undefined) {
        this.#faults.set(row, { fault: 'null' })
        if (start === undefined && !numbers) strings.push(NOTHING)
        continue
      }
      for (let at = 0; at < values.length; at++) {
        const fault = put((start ?? row) + at, values[at])
        if (fault)
          this.#faults.set(row, start !== undefined && fault.fault === 'null' ? { fault: 'null in a list' } : fault)
      }
    }
    this.#numbers = numbers
    this.#strings = strings
    const held = numbers?.byteLength ?? strings.reduce((sum, text) => sum + text.length + 100, 0)
    this.bytes = held + (this.#starts?.byteLength ?? 0)
  }

  cell(row: number): Cell {
    const fault = this.#faults.get(row)
    if (fault) return fault
    const from = this.#starts?.[row] ?? row
    const to = this.#starts?.[row + 1] ?? row + 1
    const shape = this.#starts ? [to - from] : []
    const dtype = this.#dtype
    if (dtype === 'string') {
      const [only] = this.#strings.slice(from, to)
      if (!this.#starts) return { dtype, shape: [], data: only ?? NOTHING }
      return { dtype, shape, data: this.#strings.slice(from, to) }
    }
    // A copy: a view would keep the row group alive as long as the record.
    return { dtype, shape, data: (this.#numbers as TypedArray).slice(from, to) }
  }
}

const NOTHING = new Uint8Array(0)

function startsOf(rows: ArrayLike<unknown>): Uint32Array {
  const starts = new Uint32Array(rows.length + 1)
  for (let row = 0; row < rows.length; row++) {
    const value = rows[row] as ArrayLike<unknown> | null | undefined
    starts[row + 1] = (starts[row] ?? 0) + (value?.length ?? 0)
  }
  return starts
}

type Put = (at: number, value: unknown) => Exclude<Cell, Field> | undefined

function putter(
  kind: ColumnKind,
  dtype: DType | 'string',
  numbers: TypedArray | undefined,
  strings: Uint8Array[],
): Put {
  const missing = { fault: 'null' } as const
  if (!numbers || dtype === 'string') {
    return (_, value) => {
      strings.push(value instanceof Uint8Array ? value : NOTHING)
      return value instanceof Uint8Array ? undefined : missing
    }
  }
  const bounds = INTEGER_BOUNDS[dtype]
  if (!bounds) {
    const into = numbers as Float32Array | Float64Array | Uint8Array
    return (at, value) => {
      if (value === null || value === undefined) return missing
      into[at] = Number(value)
      return undefined
    }
  }
  const isUnsigned = kind.values === 'unsigned'
  if (numbers instanceof BigInt64Array) {
    return (at, value) => {
      if (value === null || value === undefined) return missing
      if (typeof value === 'number') numbers[at] = BigInt(isUnsigned ? value >>> 0 : value)
      else if (isUnsigned && (value as bigint) < 0n)
        return { fault: 'range', value: String(BigInt.asUintN(64, value as bigint)) }
      else numbers[at] = value as bigint
      return undefined
    }
  }
  const [least, most] = [Number(bounds[0]), Number(bounds[1])]
  return (at, value) => {
    if (value === null || value === undefined) return missing
    const number = typeof value === 'number' && isUnsigned ? value >>> 0 : Number(value)
    if (number < least || number > most) {
      const exact = typeof value === 'bigint' && isUnsigned ? BigInt.asUintN(64, value) : value
      return { fault: 'range', value: typeof value === 'bigint' ? String(exact) : String(number) }
    }
    numbers[at] = number
    return undefined
  }
}
