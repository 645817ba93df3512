import type { FeatureSpec } from '@stoker/spec'
import { FeatureType } from '../error-table.js'
import { readBytes, readFloats, readInt64s } from './lists.js'
import type { List } from './slots.js'
import { WireReader } from './wire.js'

export type ListType = FeatureSpec['dtype']
const KINDS = [undefined, 'string', 'float32', 'int64'] as const

/** A list's values, row-major, from some index of a larger array on. */
export type Elements = Uint8Array[] | Float32Array | BigInt64Array

export const NO_LIST: List = { kind: 0, parts: [] }

/** True when the record lacks the feature. @throws StokerError STK_EXAMPLE_TYPE when it holds another kind of list. */
export function isMissing(name: string, dtype: ListType, list: List): boolean {
  const held = KINDS[list.kind]
  if (held !== undefined && held !== dtype) throw FeatureType(name, dtype, held).with({ place: { field: name } })
  return held === undefined
}

/** Elements of a type; texts are empty, numbers 0. */
export function emptyElements(dtype: ListType, size: number): Elements {
  if (dtype === 'string') return new Array<Uint8Array>(size).fill(new Uint8Array(0))
  return dtype === 'float32' ? new Float32Array(size) : new BigInt64Array(size)
}

/** Reads a list into the elements from index `from` on, as far as `size` values; returns how many the list has. */
export function readList(bytes: Uint8Array, list: List, into: Elements, from: number, size: number): number {
  const reader = new WireReader(bytes)
  let count = 0
  for (let at = 0; at < list.parts.length; at += 2) {
    const start = list.parts[at] ?? 0
    const end = list.parts[at + 1] ?? 0
    if (Array.isArray(into)) {
      const strings: Uint8Array[] = []
      readBytes(reader, start, end, strings)
      for (const text of strings) {
        if (count < size) into[from + count] = text
        count++
      }
    } else if (into instanceof Float32Array) {
      const raw = new Uint8Array(into.buffer, into.byteOffset + 4 * from, 4 * size)
      count = readFloats(reader, start, end, raw, count)
    } else {
      const halves = new Int32Array(into.buffer, into.byteOffset + 8 * from, 2 * size)
      count = readInt64s(reader, start, end, halves, count)
    }
  }
  return count
}

/** How many values a list has. */
export const countOf = (bytes: Uint8Array, dtype: ListType, list: List): number =>
  readList(bytes, list, emptyElements(dtype, 0), 0, 0)
