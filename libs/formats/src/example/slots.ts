import { DELIMITED, WireReader } from './wire.js'

/**
 * Features = feature:1 (map entry: key:1 value:2) ; Feature = bytes_list:1 | float_list:2 | int64_list:3
 * each list = value:1
 * Source: tensorflow/core/example/feature.proto
 */
export const MESSAGE_1 = (1 << 3) | DELIMITED
export const MESSAGE_2 = (2 << 3) | DELIMITED

/** A list of values, as it lies in the record. */
export interface List {
  /** BytesList, FloatList, Int64List; 0: absent, or present without a kind, which TensorFlow takes for absent. */
  kind: 0 | 1 | 2 | 3
  /** [start, end) of each part of the list; protobuf may cut a list in several. */
  parts: number[]
}

/** Where the value of one asked feature lies in the record under parse. */
export interface Slot<Value> {
  readonly key: Uint8Array
  /** The last one, of a key that occurs twice. */
  value: Value | undefined
}

export const slotOf = <Value>(name: string): Slot<Value> => ({ key: new TextEncoder().encode(name), value: undefined })

/**
 * Goes through the fields of the message up to `end`; `enter` reads the parts with a wanted tag, the rest is skipped.
 * Inside `enter` the part lies between the reader's `at` and `end`.
 */
export function walk(
  reader: WireReader,
  end: number,
  wanted: number,
  enter: (tag: number) => void,
  also?: number,
): void {
  const outer = reader.end
  reader.end = end
  while (reader.more) {
    const tag = reader.tag()
    if (tag !== wanted && tag !== also) {
      reader.skip(tag)
      continue
    }
    const partEnd = reader.delimited()
    reader.end = partEnd
    enter(tag)
    reader.at = partEnd
    reader.end = end
  }
  reader.end = outer
}

/** Reads the map between the reader's `at` and `end` into the slots of its keys. */
export function readMap<Value>(
  reader: WireReader,
  slots: readonly Slot<Value>[],
  read: (value: WireReader) => Value,
): void {
  walk(reader, reader.end, MESSAGE_1, () => {
    let [keyStart, keyEnd, valueStart, valueEnd] = [0, 0, 0, 0]
    const enter = (tag: number): void => {
      if (tag === MESSAGE_1) [keyStart, keyEnd] = [reader.at, reader.end]
      else [valueStart, valueEnd] = [reader.at, reader.end]
    }
    walk(reader, reader.end, MESSAGE_1, enter, MESSAGE_2)
    const slot = slots.find(({ key }) => isEqual(reader.bytes, keyStart, keyEnd, key))
    if (slot) slot.value = read(new WireReader(reader.bytes, valueStart, valueEnd))
  })
}

/** The list that a Feature message holds. */
export function readFeature(reader: WireReader): List {
  const list: List = { kind: 0, parts: [] }
  while (reader.more) {
    const tag = reader.tag()
    const kind = tag >>> 3
    if ((tag & 7) !== DELIMITED || (kind !== 1 && kind !== 2 && kind !== 3)) {
      reader.skip(tag)
      continue
    }
    const end = reader.delimited()
    // A oneof: the last kind counts, parts of one kind add up.
    if (list.kind !== kind) list.parts = []
    list.kind = kind
    list.parts.push(reader.at, end)
    reader.at = end
  }
  return list
}

/** Keys of the map between the reader's `at` and `end`, for an error message; the first 20. */
export function keysIn(reader: WireReader): string[] {
  const names: string[] = []
  const text = new TextDecoder()
  walk(reader, reader.end, MESSAGE_1, () =>
    walk(reader, reader.end, MESSAGE_1, () => {
      if (names.length < 20) names.push(text.decode(reader.bytes.subarray(reader.at, reader.end)))
    }),
  )
  return names
}

function isEqual(bytes: Uint8Array, start: number, end: number, key: Uint8Array): boolean {
  if (end - start !== key.length) return false
  for (let at = 0; at < key.length; at++) if (bytes[start + at] !== key[at]) return false
  return true
}
