import type { RecordFields, TypedArray } from '@stoker/formats'
import type { DType } from '@stoker/spec'
import { ARRAYS } from './cast.js'

export type Field = RecordFields[string]
/** Elements of a field, row-major: numbers, or byte strings. */
export type Elements = TypedArray | readonly Uint8Array[]

const EMPTY = new Uint8Array(0)

/** A field's elements; one byte string is a list of one. */
export function elementsOf({ dtype, data }: Field): Elements {
  return dtype === 'string' && data instanceof Uint8Array ? [data] : data
}

/** A field made of elements; text of no dimension is one byte string. */
export function fieldOf(dtype: DType | 'string', shape: readonly number[], elements: Elements): Field {
  if (dtype !== 'string') return { dtype, shape, data: elements as TypedArray }
  const strings = elements as readonly Uint8Array[]
  return shape.length === 0 ? { dtype, shape: [], data: strings[0] ?? EMPTY } : { dtype, shape, data: strings }
}

/** Elements to be filled: zeros, or empty texts. */
export function newElements(dtype: DType | 'string', length: number): Elements {
  return dtype === 'string' ? new Array<Uint8Array>(length).fill(EMPTY) : new ARRAYS[dtype](length)
}

/** Copies elements [start, end) between lists of one type. */
export function copyElements(to: Elements, at: number, from: Elements, start: number, end: number): void {
  if (ArrayBuffer.isView(to)) {
    ;(to as Uint8Array).set((from as Uint8Array).subarray(start, end), at)
    return
  }
  const strings = to as Uint8Array[]
  for (let place = start; place < end; place++)
    strings[at + place - start] = (from as readonly Uint8Array[])[place] ?? EMPTY
}

/** Elements [start, end): a view of numbers, a copy of the list of texts. */
export function sliceElements(elements: Elements, start: number, end: number): Elements {
  return ArrayBuffer.isView(elements)
    ? ((elements as Uint8Array).subarray(start, end) as TypedArray)
    : (elements as readonly Uint8Array[]).slice(start, end)
}

export const sizeOf = (shape: readonly number[]): number => shape.reduce((size, dim) => size * dim, 1)
